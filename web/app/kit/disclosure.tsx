import { ChevronRight } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { Stack } from './box.tsx';
import styles from './disclosure.module.css';

/** A line that shows or hides what is below it. */
export function Disclosure({
  title,
  ref,
  isOpen,
  onToggle,
  children,
}: {
  title: ReactNode;
  ref?: Ref<HTMLDetailsElement>;
  isOpen?: boolean | undefined;
  onToggle?: (isOpen: boolean) => void;
  children: ReactNode;
}) {
  return (
    <details
      ref={ref}
      className={styles['disclosure']}
      open={isOpen}
      onToggle={({ currentTarget }) => onToggle?.(currentTarget.open)}
    >
      <summary>
        <ChevronRight size={15} aria-hidden />
        {title}
      </summary>
      <Stack>{children}</Stack>
    </details>
  );
}
