import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { useT } from '../i18n.tsx';
import style from './field.module.css';

type InputProps = Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'id'>;

interface FieldProps extends InputProps {
  label: string;
  /** A hint below the field. */
  hint?: string;
  /** The service's error message for the value. */
  problem?: string | undefined;
  value: string;
  onValue(value: string): void;
  /** A control at the end of the input. */
  children?: ReactNode;
  /** A control in the line of the label. */
  aside?: ReactNode;
}

/** A field with its label, hint and error; a screen reader reads all of them with the field. */
export function Field({ label, hint, problem, value, onValue, children, aside, ...input }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div className={`field ${aside ? style['withAside'] : ''}`}>
      <label htmlFor={id}>{label}</label>
      <div className={style['control']}>
        <input
          {...input}
          id={id}
          value={value}
          onChange={({ target }) => onValue(target.value)}
          aria-invalid={problem ? true : undefined}
          aria-describedby={described || undefined}
        />
        {children}
      </div>
      {aside && <div className={style['aside']}>{aside}</div>}
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
export function PasswordField(props: Omit<FieldProps, 'type' | 'children'>) {
  const t = useT();
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <Field {...props} type={isShown ? 'text' : 'password'} autoCapitalize="off" spellCheck={false}>
      <button
        type="button"
        className={style['toggle']}
        aria-pressed={isShown}
        aria-label={t('common.show_password')}
        onClick={() => setShown(!isShown)}
      >
        <Icon size={17} aria-hidden />
      </button>
    </Field>
  );
}
