// Pages by the address's fragment: #/stages/2.0?sort=… A file has no other address, and such links work behind any proxy.
import {useEffect, useState} from 'preact/hooks';

export interface Route {
  page: string;
  id: string | null;
  query: URLSearchParams;
}

function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const slash = path.indexOf('/');
  const id = slash < 0 ? null : path.slice(slash + 1);
  return {page: slash < 0 ? path : path.slice(0, slash), id: id === null ? null : decode(id), query: new URLSearchParams(query)};
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function link(page: string, id?: string, query?: Record<string, string>): string {
  const search = query ? '?' + new URLSearchParams(query).toString() : '';
  return `#/${page}${id === undefined ? '' : '/' + encodeURIComponent(id)}${search}`;
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
  }, []);
  return parseRoute(hash);
}
