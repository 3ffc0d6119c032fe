import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';

/** The heading level of the steps: 1 on a separate page, 3 in a dialog. */
export const StepLevel = createContext<1 | 3>(1);

/**
 * The heading of a step. With `focus`, for a step without a first field, it gets the focus, so that a screen reader
 * starts there.
 */
export function StepHeading({ focus = false, children }: { focus?: boolean; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (focus) heading.current?.focus();
  }, [focus]);
  const Heading = useContext(StepLevel) === 1 ? 'h1' : 'h3';
  return (
    <Heading ref={heading} tabIndex={-1}>
      {children}
    </Heading>
  );
}
