import { type ReactNode, useId } from 'react';
import { Row, Stack } from './box.tsx';
import styles from './check-group.module.css';
import { Text } from './text.tsx';

/** Checkboxes of which any number can be chosen, with the group's name, and a sentence about each. */
export function CheckGroup<Value extends string>({
  label,
  options,
  chosen,
  onToggle,
}: {
  label: string;
  options: readonly { value: Value; name: string; why: string }[];
  chosen: readonly Value[];
  onToggle: (value: Value, isChosen: boolean) => void;
}) {
  const id = useId();
  return (
    <Group label={label}>
      <Stack gap={2}>
        {options.map(({ value, name, why }) => (
          <div key={value}>
            <label className="check">
              <input
                type="checkbox"
                checked={chosen.includes(value)}
                aria-describedby={`${id}-${value}`}
                onChange={({ target }) => onToggle(value, target.checked)}
              />{' '}
              {name}
            </label>
            <span id={`${id}-${value}`} className="hint">
              {why}
            </span>
          </div>
        ))}
      </Stack>
    </Group>
  );
}

/** Controls that belong together, with the name of the group. It has no border. */
export function Group({
  label,
  isLabelShown = true,
  isDisabled = false,
  children,
}: {
  label: ReactNode;
  isLabelShown?: boolean;
  isDisabled?: boolean;
  children: ReactNode;
}) {
  return (
    <fieldset className={styles['group']} disabled={isDisabled}>
      <legend className={isLabelShown ? undefined : 'visually-hidden'}>
        <Text size="sm" weight="medium">
          {label}
        </Text>
      </legend>
      {children}
    </fieldset>
  );
}

/** Radio buttons: one of a few values, below each other or in a row. */
export function Choice<Value extends string>({
  label,
  isLabelShown = true,
  isRow = false,
  value,
  options,
  onChange,
}: {
  label: string;
  isLabelShown?: boolean;
  isRow?: boolean;
  value: Value;
  options: readonly (readonly [value: Value, name: ReactNode])[];
  onChange: (value: Value) => void;
}) {
  const id = useId();
  const Box = isRow ? Row : Stack;
  return (
    <Group label={label} isLabelShown={isLabelShown}>
      <Box gap={isRow ? 3 : 0}>
        {options.map(([one, name]) => (
          <label key={one} className="check">
            <input type="radio" name={id} checked={value === one} onChange={() => onChange(one)} /> {name}
          </label>
        ))}
      </Box>
    </Group>
  );
}
