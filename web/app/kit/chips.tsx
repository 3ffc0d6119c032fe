import type { ReactNode } from 'react';
import { Row } from './box.tsx';

/** Buttons in a row, one of which is chosen: the filter of a list. */
export function Chips<Value extends string>({
  label,
  value,
  options,
  onChange,
  children,
}: {
  /** The name of the group, for screen readers. */
  label: string;
  value: Value;
  options: readonly (readonly [value: Value, name: ReactNode])[];
  onChange: (value: Value) => void;
  /** Shown after the buttons. */
  children?: ReactNode;
}) {
  return (
    <Row role="group" aria-label={label}>
      {options.map(([one, name]) => (
        <button
          key={one}
          type="button"
          className="chip"
          aria-pressed={one === value}
          onClick={() => onChange(one)}
        >
          {name}
        </button>
      ))}
      {children}
    </Row>
  );
}
