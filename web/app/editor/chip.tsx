import type { Chip as SourceChip } from '#server/formats/chips.ts';
import type { FormatKind } from '#server/formats/inline-content.ts';
import { type Translate, useT } from '../i18n.tsx';
import styles from './chip.module.css';
import type { ChipMark } from './marks.ts';

/** The sign of a format on its chip. It is drawn in this format. */
const signs: Readonly<Record<FormatKind, string>> = {
  superscript: 'x²',
  subscript: 'x₂',
  bold: 'B',
  italic: 'I',
  underline: 'U',
  strike: 'S',
  other: 'A',
};

/**
 * A tag of a document's segment: its number, with the sign of its format. Its text stays in the page, so that a copied
 * text has the tag.
 */
export function Chip({ chip, text }: { chip: ChipMark; text: string }) {
  const t = useT();
  const { tag, type, format } = chip;
  const name = nameOf(chip, t);
  return (
    <span
      role="img"
      aria-label={name}
      title={name}
      className={styles['chip']}
      data-tag={tag}
      data-side={type}
      data-format={format}
      data-label={`${type === 'close' ? '' : format ? `${signs[format]}\u00a0` : ''}${tag}`}
    >
      {text}
    </span>
  );
}

/** A missing tag, or both tags of a pair, as one chip. */
export function MissingChip({ chip: { tag, isPair, format } }: { chip: SourceChip }) {
  const t = useT();
  return (
    <span
      role="img"
      aria-label={t('editor.chip', { kind: format ?? (isPair ? 'link' : 'void'), number: tag, side: '' })}
      className={styles['chip']}
      data-side={isPair ? 'both' : 'void'}
      data-format={format}
      data-label={`${format ? `${signs[format]}\u00a0` : ''}${tag}`}
    />
  );
}

/** The name of a chip for screen readers, such as "Bold 1, start". */
function nameOf({ tag, type, format }: ChipMark, t: Translate): string {
  const kind = format ?? (type === 'void' ? 'void' : 'link');
  return t('editor.chip', { kind, number: tag, side: type });
}
