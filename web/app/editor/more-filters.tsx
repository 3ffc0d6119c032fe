import { SlidersHorizontal, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '../i18n.tsx';
import { PopoverButton } from '../parts/popover-button.tsx';
import styles from './editor.module.css';

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
  return (
    <>
      {selected.map(({ name, label, remove }) => (
        <button
          key={name}
          type="button"
          className="chip"
          aria-pressed
          aria-label={t('editor.remove_filter', { name: label })}
          onClick={remove}
        >
          <bdi>{label}</bdi> <X size={13} aria-hidden />
        </button>
      ))}
      <PopoverButton
        className="chip"
        data-chosen={hasMore || undefined}
        opens={{
          label: t('review.filters'),
          placement: 'bottom start',
          className: styles['moreFilters'],
          content: () => children,
        }}
      >
        <SlidersHorizontal size={14} aria-hidden /> {t('review.filters')}
      </PopoverButton>
    </>
  );
}
