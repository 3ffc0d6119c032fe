import { type FormEvent, useEffect, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { maxTextLength } from '../../parts/searched-text.ts';
import { type ContentFilter, type SearchedSide, searchedSides } from './search.ts';
import styles from './sets.module.css';

/**
 * The search fields for a glossary or TM. A selected option applies immediately; a text applies when the form is
 * submitted.
 */
export function ContentFilterFields({
  filter,
  onChange,
}: {
  filter: ContentFilter;
  onChange: (filter: ContentFilter) => void;
}) {
  const t = useT();
  const [text, setText] = useState(filter.text ?? '');
  // The browser's Back and Forward change the URL without this form.
  useEffect(() => setText(filter.text ?? ''), [filter.text]);
  const { sort, descending, only } = filter;
  const order = { ...(sort && { sort }), ...(descending && { descending }), ...(only && { only }) };
  const set = ({ text: sought, side, starts }: { text: string; side: string; starts: boolean }) =>
    onChange({
      ...order,
      ...(sought && { text: sought }),
      ...(side && { side: side as SearchedSide }),
      ...(starts && { starts }),
    });
  const shown = { text: filter.text ?? '', side: filter.side ?? '', starts: filter.starts ?? false };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set({ ...shown, text: text.trim() });
  };
  return (
    <search>
      <form onSubmit={submit} className={styles.filters}>
        <label className={styles.sought}>
          {t('sets.find')}
          <input
            type="search"
            dir="auto"
            maxLength={maxTextLength}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <label>
          {t('sets.side')}
          <select value={shown.side} onChange={({ target }) => set({ ...shown, side: target.value })}>
            <option value="">{t('sets.side_either')}</option>
            {searchedSides.map((side) => (
              <option key={side} value={side}>
                {t(`sets.side_${side}`)}
              </option>
            ))}
          </select>
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={shown.starts}
            onChange={({ target }) => set({ ...shown, starts: target.checked })}
          />
          {t('sets.starts')}
        </label>
        <div className={styles.filterActions}>
          <button type="submit">{t('sets.search')}</button>
          {filter.text && (
            <button type="button" className="plain" onClick={() => onChange(order)}>
              {t('sets.clear')}
            </button>
          )}
        </div>
      </form>
    </search>
  );
}
