# Completion of pliant for bash. Written by scripts/manual.
_pliant()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "demo check accept bench scenes export info fit replay --help --version" -- "$word"))
        return
    fi
    case $command:$before in
    demo:--steps) return ;;
    demo:--update) COMPREPLY=($(compgen -W "bottom-up top-down hybrid front auto" -- "$word")); return ;;
    demo:--output | demo:-o) compopt -o default; return ;;
    demo:--threads) return ;;
    demo:--isa) COMPREPLY=($(compgen -W "plain baseline avx2 avx512" -- "$word")); return ;;
    check:--jobs) return ;;
    check:--config) compopt -o default; return ;;
    check:--clip) return ;;
    check:--clips) compopt -o default; return ;;
    check:--fps) return ;;
    check:--frames) return ;;
    check:--split) COMPREPLY=($(compgen -W "node primitive component" -- "$word")); return ;;
    check:--ignore) return ;;
    check:--allow) return ;;
    check:--clearance) return ;;
    check:--against) COMPREPLY=($(compgen -W "rest none" -- "$word")); compopt -o default; return ;;
    check:--near) return ;;
    check:--min-depth) return ;;
    check:--max-depth) return ;;
    check:--max-area) return ;;
    check:--scene) return ;;
    check:--json) compopt -o default; return ;;
    check:--csv) compopt -o default; return ;;
    check:--html) compopt -o default; return ;;
    check:--junit) compopt -o default; return ;;
    check:--markdown) compopt -o default; return ;;
    check:--progress) return ;;
    check:--threads) return ;;
    check:--isa) COMPREPLY=($(compgen -W "plain baseline avx2 avx512" -- "$word")); return ;;
    accept:--output | accept:-o) compopt -o default; return ;;
    accept:--reason) return ;;
    accept:--clip) return ;;
    accept:--clips) compopt -o default; return ;;
    accept:--fps) return ;;
    accept:--frames) return ;;
    accept:--split) COMPREPLY=($(compgen -W "node primitive component" -- "$word")); return ;;
    accept:--ignore) return ;;
    accept:--allow) return ;;
    accept:--clearance) return ;;
    accept:--against) COMPREPLY=($(compgen -W "rest none" -- "$word")); compopt -o default; return ;;
    accept:--near) return ;;
    accept:--min-depth) return ;;
    accept:--max-depth) return ;;
    accept:--max-area) return ;;
    accept:--scene) return ;;
    accept:--threads) return ;;
    accept:--isa) COMPREPLY=($(compgen -W "plain baseline avx2 avx512" -- "$word")); return ;;
    scenes:--threads) return ;;
    scenes:--isa) COMPREPLY=($(compgen -W "plain baseline avx2 avx512" -- "$word")); return ;;
    export:--output | export:-o) compopt -o default; return ;;
    export:--steps) return ;;
    export:--triangles) return ;;
    export:--fps) return ;;
    export:--threads) return ;;
    export:--isa) COMPREPLY=($(compgen -W "plain baseline avx2 avx512" -- "$word")); return ;;
    info:--threads) return ;;
    info:--isa) COMPREPLY=($(compgen -W "plain baseline avx2 avx512" -- "$word")); return ;;
    fit:--modes) return ;;
    fit:--output | fit:-o) compopt -o default; return ;;
    fit:--clip) return ;;
    fit:--fps) return ;;
    fit:--threads) return ;;
    fit:--isa) COMPREPLY=($(compgen -W "plain baseline avx2 avx512" -- "$word")); return ;;
    replay:--from) return ;;
    replay:--to) return ;;
    replay:--threads) return ;;
    replay:--isa) COMPREPLY=($(compgen -W "plain baseline avx2 avx512" -- "$word")); return ;;
    esac
    case $command in
    demo)
        if [[ $word == -* ]]; then
            COMPREPLY=($(compgen -W "--help --isa --output --steps --threads --update --version -o" -- "$word"))
        else
            COMPREPLY=($(compgen -W "$(pliant scenes 2>/dev/null | sed -n 's/^\([a-z][a-z0-9-]*\) .*/\1/p')" -- "$word"))
        fi
        ;;
    check)
        if [[ $word == -* ]]; then
            COMPREPLY=($(compgen -W "--against --allow --annotations --clearance --clip --clips --config --continuous --contours --csv --each --fps --frames --help --html --ignore --isa --jobs --json --junit --markdown --max-area --max-depth --min-depth --near --progress --repair --scene --self --split --threads --together --version --volume" -- "$word"))
        else
            compopt -o default
        fi
        ;;
    accept)
        if [[ $word == -* ]]; then
            COMPREPLY=($(compgen -W "--against --allow --clearance --clip --clips --continuous --contours --fps --frames --help --ignore --isa --max-area --max-depth --min-depth --near --output --reason --repair --scene --self --split --threads --together --version --volume -o" -- "$word"))
        else
            compopt -o default
        fi
        ;;
    bench)
        if [[ $word == -* ]]; then
            COMPREPLY=($(compgen -W "" -- "$word"))
        fi
        ;;
    scenes)
        if [[ $word == -* ]]; then
            COMPREPLY=($(compgen -W "--help --isa --threads --version" -- "$word"))
        fi
        ;;
    export)
        if [[ $word == -* ]]; then
            COMPREPLY=($(compgen -W "--fps --help --isa --output --steps --threads --triangles --version -o" -- "$word"))
        else
            COMPREPLY=($(compgen -W "$(pliant scenes 2>/dev/null | sed -n 's/^\([a-z][a-z0-9-]*\) .*/\1/p')" -- "$word"))
        fi
        ;;
    info)
        if [[ $word == -* ]]; then
            COMPREPLY=($(compgen -W "--help --isa --threads --version" -- "$word"))
        else
            compopt -o default
        fi
        ;;
    fit)
        if [[ $word == -* ]]; then
            COMPREPLY=($(compgen -W "--clip --fps --help --isa --modes --output --threads --version -o" -- "$word"))
        else
            compopt -o default
        fi
        ;;
    replay)
        if [[ $word == -* ]]; then
            COMPREPLY=($(compgen -W "--differing --from --help --isa --json --threads --to --version" -- "$word"))
        else
            compopt -o default
        fi
        ;;
    esac
}
complete -F _pliant pliant
