import { useId } from 'react';

/** A field of several lines. Their language may differ from that of the screen. */
export function TextArea({
  label,
  hint,
  problem,
  maxLength,
  value,
  onValue,
}: {
  label: string;
  hint: string;
  problem: string | undefined;
  maxLength?: number;
  value: string;
  onValue: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        dir="auto"
        rows={5}
        maxLength={maxLength}
        value={value}
        onChange={({ target }) => onValue(target.value)}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? `${id}-hint ${id}-problem` : `${id}-hint`}
      />
      <span id={`${id}-hint`} className="hint">
        {hint}
      </span>
      {problem && (
        <span id={`${id}-problem`} className="field-problem">
          {problem}
        </span>
      )}
    </div>
  );
}
