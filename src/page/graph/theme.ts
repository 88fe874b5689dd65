// Switches between light and dark; follows the system until the reader chooses.
import { PALETTES, type Theme } from '../../picture/palette.ts';

export type Themes = ReturnType<typeof createThemes>;

const KEY = 'theme';

export function createThemes() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let chosen = stored();
  const listeners: (() => void)[] = [];
  const theme = (): Theme => chosen ?? (system.matches ? 'dark' : 'light');
  const apply = (): void => {
    document.documentElement.dataset.theme = theme();
    for (const hear of listeners) hear();
  };
  system.addEventListener('change', apply);
  apply();
  return Object.freeze({
    palette: () => PALETTES[theme()],
    turn: () => {
      chosen = theme() === 'dark' ? 'light' : 'dark';
      store(chosen);
      apply();
    },
    listen: (hear: () => void) => void listeners.push(hear),
  });
}

function stored(): Theme | undefined {
  try {
    const value = sessionStorage.getItem(KEY);
    return value === 'dark' || value === 'light' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Without local storage the system's setting applies again next time. */
function store(theme: Theme): boolean {
  try {
    sessionStorage.setItem(KEY, theme);
    return true;
  } catch {
    return false;
  }
}
