import { type ReactNode, type Ref, useId } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import { useT } from '../i18n.tsx';
import { Problem } from './problem.tsx';
import styles from './setting.module.css';

/**
 * A card of the settings: a title, a sentence about it, and its controls.
 * @param id the id of the title
 * @param action a control at the end of the title's line
 * @param wide for a table, which may be wider than text
 */
export function Setting({
  id,
  title,
  why,
  action,
  wide = false,
  heading,
  children,
}: {
  id: string;
  title: string;
  why?: ReactNode;
  action?: ReactNode;
  wide?: boolean;
  heading?: Ref<HTMLHeadingElement>;
  children?: ReactNode;
}) {
  return (
    <section aria-labelledby={id} className={`card ${styles['card']} ${wide ? styles['wide'] : ''}`}>
      <div className={styles['head']}>
        <div>
          <h2 id={id} ref={heading} tabIndex={-1}>
            {title}
          </h2>
          {why && <p className="hint">{why}</p>}
        </div>
        {action}
      </div>
      {children && <div className={styles['body']}>{children}</div>}
    </section>
  );
}

/** A setting that is on or off, with a sentence about it. */
export function Switch({
  label,
  hint,
  isOn,
  isDisabled,
  onChange,
}: {
  label: string;
  hint: string;
  isOn: boolean;
  isDisabled: boolean;
  onChange: (isOn: boolean) => void;
}) {
  const id = useId();
  return (
    <div className={styles['switch']}>
      <div>
        <label htmlFor={id}>{label}</label>
        <span id={`${id}-hint`} className="hint">
          {hint}
        </span>
      </div>
      <input
        id={id}
        type="checkbox"
        className={styles['control']}
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox has its state in `checked`
        role="switch"
        aria-describedby={`${id}-hint`}
        checked={isOn}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.checked)}
      />
    </div>
  );
}

/** Whether another administrator has changed the settings since they were read. */
export function isConflict(error: unknown): boolean {
  return error instanceof LinguaLoopError && error.status === 409;
}

/** Shows why settings were not saved. After a conflict, the next attempt replaces those of the other administrator. */
export function SaveProblem({ error }: { error: unknown }) {
  const t = useT();
  if (!isConflict(error)) return <Problem error={error} />;
  return (
    <p role="alert" className="problem">
      {t('security.settings_changed')}
    </p>
  );
}
