// Light or dark. Inside Spark's pages that have a choice of their own (4.2 and later), Spark's choice. Otherwise the reader's choice,
// if there is one. Otherwise the surroundings': Spark's older pages are light, and a file follows the system.
import {useEffect, useState} from 'preact/hooks';

export type Theme = 'light' | 'dark';
const KEY = 'sparkmemprof.theme';
const DARK = '(prefers-color-scheme: dark)';

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null; // a browser may forbid it for files
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // holds until the page is left
  }
}

const SPARKS = 'data-bs-theme';

function ofSpark(): Theme | null {
  const value = document.documentElement.getAttribute(SPARKS);
  return value === null ? null : value === 'dark' ? 'dark' : 'light';
}

interface Around {
  theme: Theme;
  decides: boolean;
}

// The theme, and a function that changes it; null where only Spark changes it.
export function useTheme(insideSpark: boolean): [Theme, (() => void) | null] {
  const surroundings = (): Around => {
    const sparks = insideSpark ? ofSpark() : null;
    return {theme: sparks ?? (!insideSpark && matchMedia(DARK).matches ? 'dark' : 'light'), decides: sparks !== null};
  };
  const [chosen, choose] = useState<Theme | null>(stored);
  const [around, setAround] = useState<Around>(surroundings);
  useEffect(() => {
    const changed = () => setAround(surroundings());
    const query = matchMedia(DARK);
    query.addEventListener('change', changed);
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, {attributes: true, attributeFilter: [SPARKS]});
    return () => {
      query.removeEventListener('change', changed);
      observer.disconnect();
    };
  }, []);
  const theme = around.decides ? around.theme : (chosen ?? around.theme);
  const toggle = () => {
    const next = theme === 'dark' ? 'light' : 'dark';
    store(next);
    choose(next);
  };
  return [theme, around.decides ? null : toggle];
}
