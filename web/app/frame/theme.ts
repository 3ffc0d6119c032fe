import { useSyncExternalStore } from 'react';
import { type Theme, themeCookie, themes } from '#web/server/theme.ts';

const listeners = new Set<() => void>();

/** The selected theme. Without a selection, the theme of the system. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, currentTheme);
}

function currentTheme(): Theme {
  const selected = document.documentElement.dataset['theme'];
  return themes.find((one) => one === selected) ?? 'system';
}

/** Shows a theme, and stores it in a cookie that the server reads, so that the page never appears in the other one. */
export function selectTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  const secure = location.protocol === 'https:';
  const age = theme === 'system' ? 0 : 31_536_000;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that we support
  document.cookie = `${themeCookie(secure)}=${theme}; Path=/; Max-Age=${age}; SameSite=Lax${secure ? '; Secure' : ''}`;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
