import { SlidersHorizontal, X } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { useT } from '../../i18n.tsx';
import styles from '../editor.module.css';
import type { TextFilter } from './filters.ts';

// The popover and its library load when it is first opened.
const FilterPopover = lazy(() => import('./filter-popover.tsx'));

/** The filters of the texts by language, reason, domain and submitter. They are part of the URL, which can be shared. */
export function TextFilters({
  filter,
  onChange,
}: {
  filter: TextFilter;
  onChange: (filter: TextFilter) => void;
}) {
  const t = useT();
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
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
      <button
        ref={trigger}
        type="button"
        className={styles['chip']}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-chosen={filter.source || filter.target || filter.trigger ? true : undefined}
        onClick={() => setOpen(true)}
      >
        <SlidersHorizontal size={14} aria-hidden /> {t('review.filters')}
      </button>
      {isOpen && (
        <Suspense>
          <FilterPopover trigger={trigger} filter={filter} onChange={change} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
