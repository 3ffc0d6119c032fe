import { Check, ChevronDown } from 'lucide-react';
import {
  Select as AriaSelect,
  Button,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
} from 'react-aria-components';
import popup from './popup.module.css';
import styles from './select.module.css';

/** A value that can be selected. */
export interface Option<Value extends string> {
  value: Value;
  name: string;
  /** A sentence below the name. */
  why?: string;
}

/**
 * A button that shows the selected value and opens a list of all.
 * @param isInline for a select within a sentence, whose label only screen readers read
 */
export function Select<Value extends string>({
  label,
  value,
  options,
  isInline = false,
  onChange,
}: {
  label: string;
  value: Value;
  options: readonly Option<Value>[];
  isInline?: boolean;
  onChange: (value: Value) => void;
}) {
  return (
    <AriaSelect
      className={(isInline ? styles['inline'] : `field ${styles['field']}`) as string}
      {...(isInline && { 'aria-label': label })}
      value={keyOf(value)}
      onChange={(key) => {
        const chosen = options.find((one) => keyOf(one.value) === key);
        if (chosen) onChange(chosen.value);
      }}
    >
      {!isInline && <Label>{label}</Label>}
      <Button className={(isInline ? styles['chip'] : styles['button']) as string}>
        <SelectValue>{() => options.find((one) => one.value === value)?.name ?? value}</SelectValue>
        <ChevronDown size={14} aria-hidden />
      </Button>
      <Popover className={popup['popup'] as string}>
        <ListBox className={popup['list'] as string} items={options}>
          {({ value: of, name, why }) => (
            <ListBoxItem id={keyOf(of)} textValue={name} className={popup['item'] as string}>
              <Text slot="label">{name}</Text>
              {why && <Text slot="description">{why}</Text>}
              <Check size={15} aria-hidden className={popup['tick']} />
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

/** The key of a value in the list, in which no key is empty. */
function keyOf(value: string): string {
  return `=${value}`;
}
