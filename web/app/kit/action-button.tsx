import type { ComponentProps } from 'react';
import { Problem } from '../parts/problem.tsx';
import { useAction } from '../parts/use-action.ts';

/** A button with an action and its error. During the action, it keeps the focus and shows `busy`. */
export function ActionButton({
  onRun,
  busy,
  isOff = false,
  children,
  ...button
}: Omit<ComponentProps<'button'>, 'onClick'> & {
  onRun: () => Promise<void>;
  busy?: string;
  isOff?: boolean;
}) {
  const { run, error, isBusy } = useAction();
  return (
    <>
      <button
        type="button"
        aria-disabled={isBusy || isOff}
        {...button}
        onClick={isOff ? undefined : run(onRun)}
      >
        {(isBusy && busy) || children}
      </button>
      {error !== undefined && <Problem error={error} />}
    </>
  );
}

/** Moves the focus from an element that an action removes to the next control, or else to the one before it. */
export function leaveFocus(removed: Element | null, wanted = 'main :is(a[href], button:enabled)'): void {
  const all = [...document.querySelectorAll<HTMLElement>(wanted)].filter((one) => !removed?.contains(one));
  const isNext = (one: Element) => removed?.compareDocumentPosition(one) === Node.DOCUMENT_POSITION_FOLLOWING;
  (all.find(isNext) ?? all.at(-1) ?? document.querySelector<HTMLElement>('main'))?.focus();
}
