import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';

/** The level of the headings of steps: 1 on a separate page, deeper in a dialog. */
export const StepLevel = createContext<1 | 3>(1);

/** The heading of a step. It gets the focus if the step has no first field, so that a screen reader starts there. */
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
