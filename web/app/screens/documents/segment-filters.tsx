import { type FormEvent, useEffect, useState } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { plainName } from '../../parts/language-text.tsx';
import styles from './documents.module.css';
import { useOutline } from './outline.ts';
import { maxTextLength, type SegmentFilter, type SegmentKind, segmentKinds } from './search.ts';

/** The filters of the segments. An option is offered only if it matches segments; its label includes their number. */
export function SegmentFilters({
  documentId,
  filter,
  onChange,
}: {
  documentId: string;
  filter: SegmentFilter;
  onChange: (filter: SegmentFilter) => void;
}) {
  const t = useT();
  const { number } = useFormat();
  const { data: outline } = useOutline(documentId);
  const [text, setText] = useState(filter.text ?? '');
  // The browser's Back and Forward change the URL without this form.
  useEffect(() => setText(filter.text ?? ''), [filter.text]);
  const set = (change: { [Name in keyof SegmentFilter]: SegmentFilter[Name] | '' | false | 0 }) =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...filter, ...change }).filter(([name, value]) => value || name === 'confirmed'),
      ) as SegmentFilter,
    );
  const find = (event: FormEvent) => {
    event.preventDefault();
    set({ text: text.trim() });
  };
  return (
    <search>
      <form className={styles.filters} onSubmit={find}>
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={filter.flagged ?? false}
            onChange={({ target }) => set({ flagged: target.checked || '' } as Parameters<typeof set>[0])}
          />
          {t('documents.flagged')} {outline && <Count>{number(outline.flagged)}</Count>}
        </label>
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={filter.corrected ?? false}
            onChange={({ target }) => set({ corrected: target.checked || '' } as Parameters<typeof set>[0])}
          />
          {t('documents.corrected')} {outline && <Count>{number(outline.corrected)}</Count>}
        </label>
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={filter.confirmed === false}
            onChange={({ target }) => {
              const { confirmed: _, ...others } = filter;
              onChange(target.checked ? { ...others, confirmed: false } : others);
            }}
          />
          {t('documents.hide_confirmed')}
        </label>
        <select
          aria-label={t('documents.kind')}
          value={filter.kind ?? ''}
          onChange={({ target }) => set({ kind: target.value as SegmentKind | '' })}
        >
          <option value="">{t('documents.all_kinds')}</option>
          {outline?.kinds.map(({ kind, segments }) => (
            <option key={kind} value={kind}>
              {`${kindName(kind) ? t(kindName(kind) as MessageId) : kind} (${number(segments)})`}
            </option>
          ))}
        </select>
        <select
          aria-label={t('documents.page')}
          value={filter.page ?? ''}
          onChange={({ target }) => set({ page: Number(target.value) })}
        >
          <option value="">{t('documents.all_pages')}</option>
          {outline?.pages.map(
            ({ page, sheet, segments }) =>
              page !== null && (
                <option key={page} value={page} translate={sheet === null ? undefined : 'no'}>
                  {`${sheet === null ? t('documents.page_n', { page }) : plainName(sheet)} (${number(segments)})`}
                </option>
              ),
          )}
        </select>
        <input
          type="search"
          dir="auto"
          aria-label={t('documents.find')}
          placeholder={t('documents.find')}
          maxLength={maxTextLength}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit" className="small">
          {t('documents.search')}
        </button>
        {Object.keys(filter).length > 0 && (
          <button type="button" className="plain small" onClick={() => onChange({})}>
            {t('documents.clear')}
          </button>
        )}
      </form>
    </search>
  );
}

/** The label of a segment's kind; undefined for an unknown one. */
export function kindName(kind: string): MessageId | undefined {
  const known = segmentKinds.find((one) => one === kind);
  return known && `documents.kind_${known}`;
}

function Count({ children }: { children: string }) {
  return <span className={styles.count}>{children}</span>;
}
