import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, createContext, type ReactNode, use, useId, useState } from 'react';
import { useT } from '../i18n.tsx';
import { fieldProblem } from '../parts/problem.tsx';
import style from './field.module.css';

/** The error of the form around a field. */
export const FormError = createContext<unknown>(undefined);

/** What a control of a field gets. */
interface Control {
  id: string;
  name: string | undefined;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
}

export interface Labels {
  label: string;
  /** A hint below the control. */
  hint?: ReactNode;
  /** The service's error message for the value; by default that of the form around, for the field's name. */
  problem?: string | undefined;
  /** The field's name in the service's error messages. */
  name?: string | undefined;
  /** A control in the line of the label. */
  aside?: ReactNode;
}

/** A control with its label, hint and error; a screen reader reads all of them with the control. */
export function Labelled({
  label,
  hint,
  name,
  problem,
  aside,
  children,
}: Labels & { children: (control: Control) => ReactNode }) {
  const id = useId();
  const error = use(FormError);
  const wrong = problem ?? (name && fieldProblem(error, name));
  const described = [hint && `${id}-hint`, wrong && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div className={`field ${aside ? style['withAside'] : ''}`}>
      <label htmlFor={id}>{label}</label>
      <div className={style['control']}>
        {children({
          id,
          name,
          'aria-invalid': wrong ? true : undefined,
          'aria-describedby': described || undefined,
        })}
      </div>
      {aside && <div className={style['aside']}>{aside}</div>}
      {hint && (
        <span id={`${id}-hint`} className="hint">
          {hint}
        </span>
      )}
      {wrong && (
        <span id={`${id}-problem`} className="field-problem">
          {wrong}
        </span>
      )}
    </div>
  );
}

interface FieldProps extends Labels, Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'id' | 'name'> {
  value: string;
  onValue(value: string): void;
  /** A control at the end of the input. */
  children?: ReactNode;
}

/** A field of one line. */
export function Field({ label, hint, name, problem, aside, value, onValue, children, ...input }: FieldProps) {
  return (
    <Labelled {...{ label, hint, name, problem, aside }}>
      {(control) => (
        <>
          <input {...input} {...control} value={value} onChange={({ target }) => onValue(target.value)} />
          {children}
        </>
      )}
    </Labelled>
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

/** A field of several lines. Their language may differ from that of the screen. */
export function TextArea({
  label,
  hint,
  name,
  problem,
  value,
  onValue,
  ...area
}: Labels & {
  value: string;
  onValue: (value: string) => void;
  maxLength?: number;
  rows?: number;
}) {
  return (
    <Labelled {...{ label, hint, name, problem }}>
      {(control) => (
        <textarea
          dir="auto"
          rows={5}
          {...area}
          {...control}
          value={value}
          onChange={({ target }) => onValue(target.value)}
        />
      )}
    </Labelled>
  );
}

/**
 * The browser's own list of values. It is for dialogs, over which no other list can open, and for the screens that
 * load first; elsewhere, use `Select`.
 */
export function NativeSelect<Value extends string>({
  value,
  options,
  onChange,
  ...labels
}: Labels & {
  value: Value;
  options: readonly (readonly [value: Value, name: string])[];
  onChange: (value: Value) => void;
}) {
  return (
    <Labelled {...labels}>
      {(control) => (
        <select {...control} value={value} onChange={({ target }) => onChange(target.value as Value)}>
          {options.map(([one, name]) => (
            <option key={one} value={one}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** A checkbox with its label. */
export function Check({
  label,
  isChecked,
  isDisabled,
  onChange,
}: {
  label: ReactNode;
  isChecked: boolean;
  isDisabled?: boolean;
  onChange: (isChecked: boolean) => void;
}) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.checked)}
      />{' '}
      {label}
    </label>
  );
}
