import { type ReactNode, useId } from 'react';
import { languageOf } from '../../parts/language-text.tsx';
import styles from './panes.module.css';

/** A text field that has the language and direction of its text, and that grows with the text. */
export function BatchField({
  label,
  text,
  language,
  problem,
  onChange,
  children,
}: {
  label: string;
  text: string;
  language: string;
  problem: string | undefined;
  onChange: (text: string) => void;
  /** A note about the text. */
  children?: ReactNode;
}) {
  const about = useId();
  return (
    <div className={styles.field}>
      <label>
        {label}
        <textarea
          {...languageOf(language)}
          translate="no"
          value={text}
          aria-invalid={problem !== undefined}
          aria-describedby={about}
          onChange={({ target }) => onChange(target.value)}
        />
      </label>
      <div id={about}>
        {problem && <p className={styles.problem}>{problem}</p>}
        {children}
      </div>
    </div>
  );
}
