import type { ReactNode, RefObject } from 'react';
import { Dialog, Popover } from 'react-aria-components';
import { useT } from '../i18n.tsx';
import styles from './editor.module.css';

/** The further filters, below the button that opens them. */
export default function FilterPopover({
  trigger,
  onClose,
  children,
}: {
  trigger: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
  children: ReactNode;
}) {
  const t = useT();
  return (
    <Popover
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => isOpen || onClose()}
      placement="bottom start"
      className={styles['moreFilters'] as string}
    >
      <Dialog aria-label={t('review.filters')}>{children}</Dialog>
    </Popover>
  );
}
