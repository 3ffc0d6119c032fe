import { useId } from 'react';
import { Stack } from './box.tsx';
import styles from './switch.module.css';

/** A setting that is on or off, with a sentence about it. The switch is at the end of its line, and keeps the focus. */
export function Switch({
  label,
  hint,
  isOn,
  isBusy = false,
  onChange,
}: {
  label: string;
  hint: string;
  isOn: boolean;
  isBusy?: boolean;
  onChange: (isOn: boolean) => void;
}) {
  const id = useId();
  return (
    <div className={styles['switch']}>
      <Stack gap={0}>
        <label htmlFor={id}>{label}</label>
        <span id={`${id}-hint`} className="hint">
          {hint}
        </span>
      </Stack>
      <input
        id={id}
        type="checkbox"
        className={styles['control']}
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox has its state in `checked`
        role="switch"
        aria-describedby={`${id}-hint`}
        checked={isOn}
        aria-disabled={isBusy}
        onChange={({ target }) => isBusy || onChange(target.checked)}
      />
    </div>
  );
}
