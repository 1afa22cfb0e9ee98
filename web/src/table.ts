// A table whose columns sort when their heads are pressed.
export interface Column<Item> {
  head: string;
  value: (item: Item) => string | number;
  text?: (item: Item) => string;
  hint?: string;
}

export function sortableTable<Item>(items: Item[], columns: Column<Item>[], options: {
  caption: string; pick?: (item: Item) => void; mark?: (item: Item) => string; sortBy?: number; descending?: boolean;
}): HTMLElement {
  const wide = document.createElement('div');
  wide.className = 'wide';
  const table = document.createElement('table');
  const caption = table.createCaption();
  caption.textContent = options.caption;
  const head = table.createTHead().insertRow();
  const body = table.createTBody();
  let sorted = options.sortBy ?? -1;
  let descending = options.descending ?? false;

  const fill = () => {
    const order = [...items];
    if (sorted >= 0) {
      const { value } = columns[sorted];
      order.sort((a, b) => {
        const x = value(a), y = value(b);
        const sign = typeof x === 'number' && typeof y === 'number' ? x - y
          : String(x).localeCompare(String(y), 'en');
        return descending ? -sign : sign;
      });
    }
    body.replaceChildren(...order.map((item) => {
      const row = document.createElement('tr');
      row.className = options.mark?.(item) ?? '';
      columns.forEach((column, i) => {
        const cell = row.insertCell();
        const text = column.text ? column.text(item) : formatted(column.value(item));
        cell.className = typeof column.value(item) === 'number' ? 'number' : '';
        if (i === 0 && options.pick) {
          const button = document.createElement('button');
          button.type = 'button';
          button.className = 'link';
          button.textContent = text;
          button.addEventListener('click', () => options.pick!(item));
          cell.append(button);
        } else {
          cell.textContent = text;
        }
      });
      return row;
    }));
    [...head.cells].forEach((cell, i) => {
      cell.setAttribute('aria-sort', i !== sorted ? 'none' : descending ? 'descending' : 'ascending');
    });
  };

  columns.forEach((column, i) => {
    const cell = document.createElement('th');
    cell.scope = 'col';
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = column.head;
    if (column.hint) button.title = column.hint;
    button.addEventListener('click', () => {
      descending = sorted === i ? !descending : typeof items[0] !== 'undefined'
        && typeof column.value(items[0]) === 'number';
      sorted = i;
      fill();
    });
    cell.append(button);
    head.append(cell);
  });
  fill();
  wide.append(table);
  return wide;
}

function formatted(value: string | number): string {
  return typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 6 }) : value;
}
