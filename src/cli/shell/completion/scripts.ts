/** The completion scripts by shell, and how each is put in place. Printed only: nobody's start-up files are edited. */
import type {CompletionModel} from './model.js'

interface Shell {
  /** The whole script; it starts no process when a shell reads it. */
  script(model: CompletionModel): Promise<string>
  /** What to type to have it in every new shell. */
  readonly install: readonly string[]
}

export const COMPLETION_SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    script: async model => (await import('./bash.js')).bashScript(model),
    install: [
      'mkdir -p ~/.local/share/bash-completion/completions',
      'bookctl autocomplete bash > ~/.local/share/bash-completion/completions/bookctl',
      '# without the bash-completion package, also add to ~/.bashrc:',
      'source ~/.local/share/bash-completion/completions/bookctl',
    ],
  },
  zsh: {
    script: async model => (await import('./zsh.js')).zshScript(model),
    install: [
      'mkdir -p ~/.zfunc',
      'bookctl autocomplete zsh > ~/.zfunc/_bookctl',
      '# and in ~/.zshrc, once:',
      'fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit',
    ],
  },
  fish: {
    script: async model => (await import('./fish.js')).fishScript(model),
    install: [
      'mkdir -p ~/.config/fish/completions',
      'bookctl autocomplete fish > ~/.config/fish/completions/bookctl.fish',
    ],
  },
  powershell: {
    script: async model => (await import('./powershell.js')).powershellScript(model),
    install: [
      'bookctl autocomplete powershell > "$HOME/bookctl-completion.ps1"',
      '# and in the file that $PROFILE names, once:',
      '. "$HOME/bookctl-completion.ps1"',
    ],
  },
}

/** The shell of `SHELL=/usr/bin/zsh`, when it is one of ours. */
export function shellOf(path: string | undefined): string | undefined {
  const name =
    (path ?? '')
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/\.exe$/, '') ?? ''
  const known = name === 'pwsh' ? 'powershell' : name
  return Object.hasOwn(COMPLETION_SHELLS, known) ? known : undefined
}

/** How completion is put in place for `shell`, or for each when it is not known. */
export function installText(shell: string | undefined): string {
  const shells = shell === undefined ? Object.keys(COMPLETION_SHELLS) : [shell]
  const parts = shells.map(name => {
    const lines = COMPLETION_SHELLS[name]?.install ?? []
    return [`Completion for ${name}:`, '', ...lines.map(line => `  ${line}`), ''].join('\n')
  })
  return `${parts.join('\n')}\nThen open a new shell. Do it again after an update of bookctl.\n`
}
