import type { ReactNode, RefObject } from 'react';
import { Popover as AriaPopover, Dialog, type Placement } from 'react-aria-components';
import styles from './popover.module.css';

export interface PopoverProps {
  label: string;
  placement: Placement;
  className: string | undefined;
  children: ReactNode;
}

/** A dialog next to the button that opened it. */
export default function Popover({
  trigger,
  onClose,
  label,
  placement,
  className = '',
  children,
}: PopoverProps & { trigger: RefObject<HTMLButtonElement | null>; onClose: () => void }) {
  return (
    <AriaPopover
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => isOpen || onClose()}
      placement={placement}
      className={styles['popover'] as string}
    >
      <Dialog className={`${styles['dialog']} ${className}`} aria-label={label}>
        {children}
      </Dialog>
    </AriaPopover>
  );
}
