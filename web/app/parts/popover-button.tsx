import { type ComponentProps, type ReactNode, Suspense, useRef, useState } from 'react';
import { lazily } from './lazily.tsx';
import type { PopoverProps } from './popover.tsx';

const Popover = lazily(() => import('./popover.tsx'));

/** A button that opens a popover. The popover and its library load when it is first opened. */
export function PopoverButton({
  opens: { content, ...popover },
  ...button
}: ComponentProps<'button'> & {
  opens: Omit<PopoverProps, 'children'> & {
    /** Renders the content. @param close closes the popover */
    content: (close: () => void) => ReactNode;
  };
}) {
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button
        ref={trigger}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(button['aria-disabled'] !== true)}
        {...button}
      />
      {isOpen && (
        <Suspense>
          <Popover trigger={trigger} onClose={close} {...popover}>
            {content(close)}
          </Popover>
        </Suspense>
      )}
    </>
  );
}
