import { Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Labelled } from '../../kit/field.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { useFormat } from '../../parts/format.ts';
import { languageOf } from '../../parts/language-text.tsx';
import { lengthOf } from '../../parts/text-measure.ts';
import styles from './panes.module.css';

/** A text of the form. */
interface TypedText {
  /** Identifies the row, because two rows may have the same text. */
  id: number;
  text: string;
}

/** The text fields of a batch. At first there are two empty fields. */
export function useBatchTexts() {
  const nextId = useRef(2);
  const [rows, setRows] = useState<TypedText[]>([
    { id: 0, text: '' },
    { id: 1, text: '' },
  ]);
  return {
    rows,
    add: () => setRows((before) => [...before, { id: nextId.current++, text: '' }]),
    /** Replaces all rows; at least two are shown. */
    fill: (texts: string[]) =>
      setRows(
        Array.from({ length: Math.max(2, texts.length) }, (_, at) => ({
          id: nextId.current++,
          text: texts[at] ?? '',
        })),
      ),
    /** Replaces one row by new rows, one for each text. */
    replace: (id: number, by: string[]) =>
      setRows((before) =>
        before.flatMap((row) =>
          row.id === id ? by.map((text, i) => ({ id: i === 0 ? id : nextId.current++, text })) : [row],
        ),
      ),
  };
}

export function isTooLong(text: string): boolean {
  return lengthOf(text) > deployment.maxSourceChars;
}

/**
 * The text fields of a batch.
 * @param isMissing whether the first field shows the message that at least one text is required
 */
export function BatchTexts({
  rows,
  language,
  isMissing,
  add,
  replace,
}: Omit<ReturnType<typeof useBatchTexts>, 'fill'> & { language: string; isMissing: boolean }) {
  const t = useT();
  const { number } = useFormat();
  const problemOf = (text: string, index: number) => {
    if (isTooLong(text)) return t('translate.too_long', { most: number(deployment.maxSourceChars) });
    return isMissing && index === 0 ? t('translate.no_text') : undefined;
  };
  return (
    <>
      <Stack as="ol">
        {rows.map(({ id, text }, index) => (
          <Stack as="li" key={id}>
            <BatchField
              label={t('translate.text_number', { number: index + 1 })}
              text={text}
              language={language}
              problem={problemOf(text, index)}
              onChange={(changed) => replace(id, [changed])}
            >
              <Row justify="space-between">
                {text !== '' && (
                  <span className="hint">
                    {t('translate.characters', { length: number(lengthOf(text)) })}
                  </span>
                )}
                {text.trim().includes('\n') && (
                  <button type="button" className="small" onClick={() => replace(id, linesOf(text))}>
                    {t('translate.split', { count: linesOf(text).length })}
                  </button>
                )}
                {rows.length > 1 && (
                  <IconButton
                    label={t('translate.remove_text', { number: index + 1 })}
                    onClick={() => replace(id, [])}
                  >
                    <Trash2 size={16} aria-hidden />
                  </IconButton>
                )}
              </Row>
            </BatchField>
          </Stack>
        ))}
      </Stack>
      <button type="button" onClick={add} style={{ justifySelf: 'start' }}>
        <Plus size={16} aria-hidden /> {t('translate.add_text')}
      </button>
    </>
  );
}

export function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

/** A text field that has the language and direction of its text, and that grows with the text. */
function BatchField({
  label,
  text,
  language,
  problem,
  onChange,
  children,
}: {
  label: string;
  text: string;
  language: string;
  problem: string | undefined;
  onChange: (text: string) => void;
  /** A note about the text. */
  children?: ReactNode;
}) {
  return (
    <Labelled label={label} problem={problem} hint={children}>
      {(control) => (
        <textarea
          {...languageOf(language)}
          {...control}
          translate="no"
          className={styles.area}
          value={text}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Labelled>
  );
}
