import { type FormEvent, type RefObject, useEffect, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { isComposing } from '../../keys/match-key.ts';
import { LanguageSelect } from '../../parts/languages.tsx';
import type { Filters } from './filters.ts';
import { triggerCodes } from './items.ts';
import styles from './review.module.css';
import { triggerNames } from './trigger-names.ts';

/** The filters of the queue. The URL contains them, so that a filtered queue can be bookmarked and shared. */
export function QueueFilters({
  filters,
  search,
  onChange,
  onLeave,
}: {
  filters: Filters;
  /** The search field. */
  search: RefObject<HTMLInputElement | null>;
  onChange: (filters: Filters) => void;
  /** Moves the focus back to the list. */
  onLeave: () => void;
}) {
  const t = useT();
  const [text, setText] = useState(filters.text ?? '');
  useEffect(() => setText(filters.text ?? ''), [filters.text]);
  const change = (change: Partial<Record<keyof Filters, string>>) => {
    const next = { ...filters, ...change };
    onChange(Object.fromEntries(Object.entries(next).filter(([, value]) => value)) as Filters);
  };
  const find = (event: FormEvent) => {
    event.preventDefault();
    change({ text: text.trim() });
    onLeave();
  };
  return (
    <details className={styles.filters} open={Object.values(filters).some(Boolean) || undefined}>
      <summary>{t('review.filters')}</summary>
      <search>
        <form onSubmit={find}>
          <input
            ref={search}
            type="search"
            aria-label={t('review.find')}
            placeholder={t('review.find')}
            maxLength={200}
            value={text}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={({ key, nativeEvent }) => {
              if (key === 'Escape' && !isComposing(nativeEvent)) onLeave();
            }}
          />
        </form>
      </search>
      <LanguageSelect
        label={t('review.source_lang')}
        any={t('review.any')}
        value={filters.source ?? ''}
        onChange={(source) => change({ source })}
      />
      <LanguageSelect
        label={t('review.target_lang')}
        any={t('review.any')}
        value={filters.target ?? ''}
        onChange={(target) => change({ target })}
      />
      <label>
        {t('review.reason')}
        <select value={filters.trigger ?? ''} onChange={({ target }) => change({ trigger: target.value })}>
          <option value="">{t('review.any')}</option>
          {triggerCodes.map((code) => (
            <option key={code} value={code}>
              {t(triggerNames[code])}
            </option>
          ))}
        </select>
      </label>
    </details>
  );
}
