import { ChevronRight } from 'lucide-react';
import { type RefObject, useEffect, useEffectEvent } from 'react';
import { type Chip, chipProblems } from '#server/formats/chips.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { useT } from '../i18n.tsx';
import { CommandKey } from '../keys/command-key.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { MissingChip } from './chip.tsx';
import { insertText } from './insert-text.ts';
import { findTags, readContent, writeTag } from './tagged-text.ts';

/**
 * Buttons that insert the tags that a translation lacks. The first one has a key, and a click on the chip in the source
 * does the same.
 * @param onNone called for the key if no tag is missing
 */
export default function MissingTags({
  source,
  text,
  field,
  onNone,
}: {
  source: InlineContent;
  text: string;
  field: RefObject<HTMLTextAreaElement | null>;
  onNone: () => void;
}) {
  const t = useT();
  const missing = chipProblems(source, readContent(text, source)).filter(
    ({ problem }) => problem === 'missing',
  );
  const insert = (chip: Chip | undefined) => chip && field.current && insertTag(field.current, chip);
  useCommands({ putBack: () => (missing[0] ? insert(missing[0]) : onNone()) });
  const onClick = useEffectEvent(({ target }: Event) => {
    const clicked = (target as Element).closest<HTMLElement>('[data-source] [data-tag]');
    insert(missing.find(({ tag }) => String(tag) === clicked?.dataset['tag']));
  });
  useEffect(() => {
    const row = field.current?.closest('[role=row]');
    const listener = (event: Event) => onClick(event);
    row?.addEventListener('click', listener);
    return () => row?.removeEventListener('click', listener);
  }, [field]);
  return missing.map((chip) => (
    <button key={chip.tag} type="button" className="ghost small" onClick={() => insert(chip)}>
      <ChevronRight size={14} aria-hidden /> {t('editor.insert')} <MissingChip chip={chip} />
      {chip === missing[0] && <CommandKey id="putBack" />}
    </button>
  ));
}

/** Inserts a tag at the caret. A pair goes around the selected words; without any, the caret is then inside of it. */
function insertTag(field: HTMLTextAreaElement, { tag, isPair }: Chip): void {
  const { selectionStart, selectionEnd, value } = field;
  if (!isPair) {
    insertText(field, writeTag(tag, 'void'), [selectionEnd, selectionEnd]);
    return;
  }
  const selected = value.slice(selectionStart, selectionEnd);
  const words = hasWholePairs(selected) ? selected.trim() : '';
  const start = words === '' ? selectionEnd : selectionStart + selected.indexOf(words);
  const open = writeTag(tag, 'open');
  insertText(field, open + words + writeTag(tag, 'close'), [start, start + words.length]);
  if (words === '') field.setSelectionRange(start + open.length, start + open.length);
}

function hasWholePairs(text: string): boolean {
  const tags = findTags(text);
  const opened = tags.filter(({ type }) => type === 'open').map(({ tag }) => tag);
  const closed = tags.filter(({ type }) => type === 'close').map(({ tag }) => tag);
  return opened.length === closed.length && opened.every((tag) => closed.includes(tag));
}
