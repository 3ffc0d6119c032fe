import { SlidersHorizontal, X } from 'lucide-react';
import { useT } from '../../i18n.tsx';
import { LanguageSelect } from '../../parts/languages.tsx';
import styles from '../editor.module.css';
import { type TextFilter, triggerCodes } from './filters.ts';
import { triggerNames } from './trigger-names.ts';

/** The filters of the texts by language, reason, domain and submitter. They are part of the URL, which can be shared. */
export function TextFilters({
  filter,
  onChange,
}: {
  filter: TextFilter;
  onChange: (filter: TextFilter) => void;
}) {
  const t = useT();
  const change = (name: keyof TextFilter, value: string) => {
    const { [name]: _, ...others } = filter;
    onChange(value === '' ? others : { ...others, [name]: value });
  };
  const chips = (['domain', 'submitter'] as const).filter((name) => filter[name] !== undefined);
  return (
    <>
      {chips.map((name) => (
        <button
          key={name}
          type="button"
          className={styles['chip']}
          aria-pressed
          aria-label={t('editor.remove_filter', { name: filter[name] ?? t(`editor.no_${name}`) })}
          onClick={() => change(name, '')}
        >
          <bdi>{filter[name] ?? t(`editor.no_${name}`)}</bdi> <X size={13} aria-hidden />
        </button>
      ))}
      <details className={styles['more']}>
        <summary className={styles['chip']}>
          <SlidersHorizontal size={14} aria-hidden /> {t('review.filters')}
        </summary>
        <div className={styles['moreFields']}>
          <LanguageSelect
            label={t('review.source_lang')}
            any={t('review.any')}
            value={filter.source ?? ''}
            onChange={(source) => change('source', source)}
          />
          <LanguageSelect
            label={t('review.target_lang')}
            any={t('review.any')}
            value={filter.target ?? ''}
            onChange={(target) => change('target', target)}
          />
          <label>
            {t('review.reason')}
            <select value={filter.trigger ?? ''} onChange={({ target }) => change('trigger', target.value)}>
              <option value="">{t('review.any')}</option>
              {triggerCodes.map((code) => (
                <option key={code} value={code}>
                  {t(triggerNames[code])}
                </option>
              ))}
            </select>
          </label>
        </div>
      </details>
    </>
  );
}
