import { useState } from 'react';

/**
 * A date in the URL. A browser sends a date for each digit of a year, from 0002 on; an incomplete date stays in the field,
 * and is replaced by the URL's when the field loses the focus.
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
