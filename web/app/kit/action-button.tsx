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
