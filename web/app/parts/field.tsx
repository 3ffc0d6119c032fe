import { type ComponentProps, useId, useState } from 'react';
import { useT } from '../i18n.tsx';

type InputProps = Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'id'>;

interface FieldProps extends InputProps {
  label: string;
  /** A hint below the field. */
  hint?: string;
  /** The service's error message for the value. */
  problem?: string | undefined;
  value: string;
  onValue(value: string): void;
}

/** A field with its label, hint and error; a screen reader reads all of them with the field. */
export function Field({ label, hint, problem, value, onValue, children, ...input }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        value={value}
        onChange={({ target }) => onValue(target.value)}
        aria-invalid={problem ? true : undefined}
        aria-describedby={described || undefined}
      />
      {children}
      {hint && (
        <span id={`${id}-hint`} className="hint">
          {hint}
        </span>
      )}
      {problem && (
        <span id={`${id}-problem`} className="field-problem">
          {problem}
        </span>
      )}
    </div>
  );
}

/** A password field that can be shown, because a long passphrase is hard to type without seeing it. */
export function PasswordField(props: Omit<FieldProps, 'type'>) {
  const t = useT();
  const [isShown, setShown] = useState(false);
  return (
    <Field {...props} type={isShown ? 'text' : 'password'} autoCapitalize="off" spellCheck={false}>
      <label className="beside-field">
        <input type="checkbox" checked={isShown} onChange={({ target }) => setShown(target.checked)} />
        {t('common.show_password')}
      </label>
    </Field>
  );
}
