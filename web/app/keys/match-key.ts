import { isApple } from './commands.ts';

/** The Latin characters of keys, for layouts without Latin letters (Arabic, Greek, Russian). */
const latinKeys: Readonly<Record<string, string>> = { Period: '.', Slash: '/', Comma: ',' };

/** Whether the key belongs to an input method that composes a text. Safari reports this only by the key code. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Whether an event matches a shortcut such as `Mod+Shift+ArrowDown`. */
export function isKey(event: KeyboardEvent, keys: string, apple = isApple): boolean {
  const parts = keys.split('+');
  const wanted = parts.pop() as string;
  const mod = parts.includes('Mod');
  // Ctrl and Alt together are AltGr, which types a character.
  if ((apple ? event.metaKey : event.ctrlKey) !== mod) return false;
  if ((apple ? event.ctrlKey : event.metaKey) !== parts.includes('Control')) return false;
  if (event.altKey !== parts.includes('Alt')) return false;
  // On some layouts, punctuation needs Shift.
  const isPunctuation = wanted.length === 1 && !/[a-z]/.test(wanted);
  if (!isPunctuation && event.shiftKey !== parts.includes('Shift')) return false;
  return wanted === latinKey(event);
}

/** The Latin character of a key; for another script, the Latin character at the same position on the keyboard. */
export function latinKey({ key, code, shiftKey }: KeyboardEvent): string {
  if (key === ' ') return 'Space';
  if (key.length !== 1) return key;
  if (key.charCodeAt(0) < 128) return key.toLowerCase();
  if (/^Key[A-Z]$/.test(code)) return code.slice(3).toLowerCase();
  if (code === 'Slash' && shiftKey) return '?';
  return latinKeys[code] ?? key;
}
