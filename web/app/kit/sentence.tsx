import { type ComponentProps, Fragment, type ReactNode, useState } from 'react';
import { type MessageId, useT } from '../i18n.tsx';
import styles from './sentence.module.css';

/** Around the name of a part in a message; no text has this private character. */
const mark = '\uE000';

/**
 * A sentence of which some parts are controls. The order of the parts is that of the message, so each language has its own.
 * @param parts the control for each placeholder of the message
 */
export function Sentence({ of, parts }: { of: MessageId; parts: Readonly<Record<string, ReactNode>> }) {
  const t = useT();
  const marked = Object.fromEntries(Object.keys(parts).map((name) => [name, `${mark}${name}${mark}`]));
  return (
    <p className={styles['sentence']}>
      {t(of, marked)
        .split(mark)
        .map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a message stay in their places
          <Fragment key={index}>{index % 2 === 1 ? parts[piece] : piece}</Fragment>
        ))}
    </p>
  );
}

/** A field within a sentence or a condition, as wide as its value. */
export function InlineField({
  label,
  value,
  onValue,
  ...input
}: Omit<ComponentProps<'input'>, 'onChange' | 'className'> & {
  label: string;
  onValue: (value: string) => void;
}) {
  // What is typed stays as it is, such as an empty number, until the field is left.
  const [typed, setTyped] = useState<string>();
  return (
    <input
      {...input}
      aria-label={label}
      className={styles['input']}
      value={typed ?? value}
      onChange={({ target }) => {
        setTyped(target.value);
        onValue(target.value);
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
