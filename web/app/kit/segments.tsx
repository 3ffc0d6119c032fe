import { type ReactNode, useId } from 'react';
import { Group } from './check-group.tsx';

/**
 * One of a few choices, all of which are visible in a row.
 * @param isLabelShown whether the label is shown above, instead of for screen readers only
 * @param least the least width of a choice, in rem; without it, each is as wide as its name
 */
export function Segments<Value extends string>({
  label,
  value,
  options,
  isLabelShown = false,
  least,
  onChange,
}: {
  label: string;
  value: Value;
  options: readonly (readonly [value: Value, name: ReactNode])[];
  isLabelShown?: boolean;
  least?: number;
  onChange: (value: Value) => void;
}) {
  const id = useId();
  const columns = least && `repeat(auto-fit, minmax(${least}rem, 1fr))`;
  return (
    <Group label={label} isLabelShown={isLabelShown}>
      <div
        className="segmented"
        style={columns ? { display: 'grid', gridTemplateColumns: columns } : { flexWrap: 'wrap' }}
      >
        {options.map(([one, name]) => (
          <label key={one}>
            <input type="radio" name={id} checked={one === value} onChange={() => onChange(one)} />
            {name}
          </label>
        ))}
      </div>
    </Group>
  );
}
