import { insertText } from './insert-text.ts';
import { findTags } from './tagged-text.ts';

/**
 * Changes the case of the selected words, or of the word at the caret: lower, UPPER, Title Case, Sentence case, one after
 * another. The rules are those of the language, such as the dotted i of Turkish. Tags stay as they are, because their
 * characters have no case.
 */
export function changeCase(field: HTMLTextAreaElement, language: string): void {
  const { start, end } = wordsAtCaret(field, language);
  const before = field.value.slice(start, end);
  const next = nextCase(before, language);
  if (next === before) return;
  insertText(field, next, [start, end]);
  field.setSelectionRange(start, start + next.length);
}

/** The selection of a field, or the word at its caret, in UTF-16 units; empty without a word. */
export function wordsAtCaret(
  { value, selectionStart, selectionEnd }: HTMLTextAreaElement,
  language: string,
): { start: number; end: number } {
  if (selectionStart !== selectionEnd) return { start: selectionStart, end: selectionEnd };
  const tags = findTags(value);
  for (const { index, segment, isWordLike } of segmentsOf(value, language)) {
    const end = index + segment.length;
    if (index > selectionStart) break;
    if (isWordLike && selectionStart <= end && !tags.some((tag) => index < tag.end && end > tag.start))
      return { start: index, end };
  }
  return { start: selectionStart, end: selectionStart };
}

/** Returns a text in the next of the four forms. A form that looks like the present one is skipped. */
export function nextCase(text: string, language: string): string {
  const lower = text.toLocaleLowerCase(language);
  const forms = [
    lower,
    text.toLocaleUpperCase(language),
    capitalizeWords(lower, language),
    capitalizeSentences(lower, language),
  ];
  const present = forms.indexOf(text);
  const later = [...forms.slice(present + 1), ...forms.slice(0, present + 1)];
  return later.find((form) => form !== text) ?? text;
}

/** Gives each word of a text in lower case an initial capital. Dutch capitalizes both letters of ij. */
function capitalizeWords(lower: string, language: string): string {
  const first = /^nl\b/.test(language) ? /ij|\p{L}/u : /\p{L}/u;
  return Array.from(segmentsOf(lower, language), ({ segment }) =>
    segment.replace(first, (letter) => letter.toLocaleUpperCase(language)),
  ).join('');
}

/** The same for each sentence. Unicode finds no end of a sentence before a small letter, so punctuation decides. */
function capitalizeSentences(lower: string, language: string): string {
  return lower.replace(
    /(^|[.!?…])([^\p{L}\p{N}]*)(\p{L})/gu,
    (all, end: string, gap: string, letter: string) =>
      end === '' || /\s/.test(gap) ? end + gap + letter.toLocaleUpperCase(language) : all,
  );
}

function segmentsOf(text: string, language: string) {
  return new Intl.Segmenter(language, { granularity: 'word' }).segment(text);
}
