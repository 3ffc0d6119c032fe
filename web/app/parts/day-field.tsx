import { useState } from 'react';

/**
 * A field for a date that is a parameter of the URL. While a year is typed, the browser reports a date for each digit
 * (0002, 0020, …): such a date is only shown in the field. If the field loses the focus, it shows the date of the URL
 * again.
 * @param value YYYY-MM-DD; undefined for no date
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
