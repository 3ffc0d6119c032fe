import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';

/** The level of the headings of steps: 1 on a page of its own, deeper within a dialog. */
export const StepLevel = createContext<1 | 3>(1);

/** The heading of a step. It takes the focus where the step has no field to begin with, so that a screen reader goes on there. */
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
