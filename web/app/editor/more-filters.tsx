import { SlidersHorizontal, X } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { useT } from '../i18n.tsx';
import styles from './editor.module.css';

// The popover and its library load when it is first opened.
const FilterPopover = lazy(() => import('./filter-popover.tsx'));

/** A button that opens further filters, and one button for each selected filter, which removes it. */
export function MoreFilters({
  selected,
  hasMore = false,
  children,
}: {
  selected: readonly { name: string; label: string; remove: () => void }[];
  /** Whether a filter is selected that has no button. */
  hasMore?: boolean;
  /** The fields of the filters. */
  children: ReactNode;
}) {
  const t = useT();
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {selected.map(({ name, label, remove }) => (
        <button
          key={name}
          type="button"
          className={styles['chip']}
          aria-pressed
          aria-label={t('editor.remove_filter', { name: label })}
          onClick={remove}
        >
          <bdi>{label}</bdi> <X size={13} aria-hidden />
        </button>
      ))}
      <button
        ref={trigger}
        type="button"
        className={styles['chip']}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-chosen={hasMore || undefined}
        onClick={() => setOpen(true)}
      >
        <SlidersHorizontal size={14} aria-hidden /> {t('review.filters')}
      </button>
      {isOpen && (
        <Suspense>
          <FilterPopover trigger={trigger} onClose={() => setOpen(false)}>
            {children}
          </FilterPopover>
        </Suspense>
      )}
    </>
  );
}
