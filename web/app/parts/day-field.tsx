import { useState } from 'react';

/**
 * A day that stands in the address. A browser gives a day for each digit of a year, from 0002 on; what is not whole yet stays in the
 * field, and gives way to the address when the person leaves it.
 * @param value YYYY-MM-DD, or undefined for none
 */
export function DayField({
  label,
  value = '',
  onValue,
  ...range
}: {
  label: string;
  value: string | undefined;
  onValue: (value: string) => void;
  min?: string | undefined;
  max?: string | undefined;
}) {
  const [typed, setTyped] = useState<string>();
  return (
    <label>
      {label}
      <input
        {...range}
        type="date"
        value={typed ?? value}
        onChange={({ target }) => {
          setTyped(target.value);
          if (/^([1-9]\d{3}-|$)/.test(target.value)) onValue(target.value);
        }}
        onBlur={() => setTyped(undefined)}
      />
    </label>
  );
}
