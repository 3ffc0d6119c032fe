import { ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { useT } from '../../i18n.tsx';
import { Field } from '../../kit/field.tsx';
import choices from '../../parts/choices.module.css';
import { includableNames } from '../../parts/reason-names.ts';
import { layoutFormatOf } from './file-kind.ts';
import type { FileQueue, ListedFile } from './file-queue.ts';
import styles from './files.module.css';

/** What is translated of a file, and the form of the result, as far as its format allows a choice. */
export function FileParts({ file, queue }: { file: ListedFile; queue: FileQueue }) {
  const t = useT();
  const { id, parts, proposed, invalid } = file;
  const element = useRef<HTMLDetailsElement>(null);
  // While a file is sent, its fields are not in the page. They are back if the service rejects one of them.
  const wasRejected = invalid !== undefined;
  const [isOpen, setOpen] = useState(wasRejected);
  useEffect(() => {
    if (wasRejected) element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [wasRejected]);
  const format = layoutFormatOf(file);
  if (!format) return null;
  const { pages, places, include, output } = layoutKinds[format];
  const isSheets = pages === 'sheets';
  const chosen =
    (parts.pages.trim() === '' ? 0 : 1) +
    parts.include.length +
    (parts.exclude_columns.trim() === '' ? 0 : 1) +
    (parts.output === 'translated' ? 0 : 1);
  return (
    <details
      ref={element}
      className={styles.parts}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <ChevronRight size={15} aria-hidden />
        {t('translate.parts', { format })}
        {chosen > 0 && <span className="badge">{t('translate.options_set', { count: chosen })}</span>}
      </summary>
      {pages && (
        <Field
          label={t(isSheets ? 'translate.sheets' : 'translate.pages_field')}
          hint={t(isSheets ? 'translate.sheets_hint' : 'translate.pages_hint')}
          problem={invalid?.field === 'pages' ? invalid.message : undefined}
          value={parts.pages}
          maxLength={10_000}
          autoComplete="off"
          translate="no"
          dir={isSheets ? 'auto' : 'ltr'}
          onValue={(value) => queue.select(id, { pages: value })}
        />
      )}
      {places === 'sheet' && (
        <Field
          label={t('translate.columns')}
          hint={t('translate.columns_hint')}
          problem={invalid?.field === 'exclude_columns' ? invalid.message : undefined}
          value={parts.exclude_columns}
          maxLength={10_000}
          autoComplete="off"
          translate="no"
          dir="auto"
          onValue={(value) => queue.select(id, { exclude_columns: value })}
        />
      )}
      {include.length > 0 && (
        <fieldset className={`${choices.choices} ${styles.include}`}>
          <legend>{t('translate.include')}</legend>
          {proposed && <p className="hint">{t('translate.include_proposed')}</p>}
          {include.map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={parts.include.includes(name)}
                onChange={({ target }) =>
                  queue.select(id, {
                    include: include.filter((one) =>
                      one === name ? target.checked : parts.include.includes(one),
                    ),
                  })
                }
              />
              <span>{t(includableNames[name])}</span>
            </label>
          ))}
        </fieldset>
      )}
      {output.length > 1 && (
        <fieldset className={`${choices.choices} ${styles.include}`}>
          <legend>{t('translate.output')}</legend>
          {output.map((name) => (
            <label key={name}>
              <input
                type="radio"
                name={`output-${id}`}
                checked={parts.output === name}
                onChange={() => queue.select(id, { output: name })}
              />
              <span>{t(`translate.output_${name}`)}</span>
            </label>
          ))}
          <p className="hint">{t(`translate.says_${parts.output}`, { format })}</p>
        </fieldset>
      )}
      {invalid && invalid.field !== 'pages' && invalid.field !== 'exclude_columns' && (
        <p role="alert" className={styles.problem}>
          {invalid.message}
        </p>
      )}
    </details>
  );
}
