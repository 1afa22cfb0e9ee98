// How to read the page, as docs/page.md explains it: the page and the documentation agree.
import words from '../../docs/page.md?raw';
import { make } from './dom';

// Text with **strong** words and `code`; of [a link](address) only its words.
function inline(text: string): (Node | string)[] {
  return text.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((piece) => {
    if (piece.startsWith('**')) return make('strong', {}, piece.slice(2, -2));
    return piece.startsWith('`') ? make('code', {}, piece.slice(1, -1)) : piece;
  });
}

// Keys and what they do: two of each in a row of the table.
function keyList(rows: string[]): HTMLElement {
  const list = make('dl', { class: 'keys' });
  for (const row of rows) {
    const cells = row.split('|').slice(1, -1).map((cell) => cell.trim());
    for (let i = 0; i + 1 < cells.length; i += 2) {
      if (cells[i]) list.append(make('dt', {}, make('kbd', {}, cells[i])), make('dd', {}, cells[i + 1]));
    }
  }
  return list;
}

export function helpSection(): HTMLElement {
  const lines = words.slice(0, words.indexOf('\n## ')).split('\n');
  const items = lines.filter((line) => line.startsWith('- ')).map((line) => make('li', {}, ...inline(line.slice(2))));
  const keys = lines.filter((line) => /^\| (?!key)/.test(line));
  return make('article', { id: 'help' }, make('h2', {}, 'How to read this page'), make('ul', {}, ...items), keyList(keys));
}
