import { type CalendarDate, parseDate } from '@internationalized/date';
import { CalendarDays, ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import {
  DatePicker as AriaDatePicker,
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DateSegment,
  Dialog,
  Group,
  Heading,
  I18nProvider,
  Label,
  Popover,
} from 'react-aria-components';
import { useInterface } from '../i18n.tsx';
import styles from './date-picker.module.css';
import popup from './popup.module.css';

/**
 * A field for a day, with a calendar. While a year is typed, each digit gives a date (0002, 0020, …): such a date is only
 * shown in the field. If the field loses the focus, it shows `value` again. Not for dialogs, over which the calendar cannot
 * open.
 * @param value YYYY-MM-DD; undefined or empty for no date
 */
export function DatePicker({
  label,
  value,
  min,
  max,
  onValue,
}: {
  label: string;
  value: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onValue: (value: string) => void;
}) {
  const { locale } = useInterface();
  const [typed, setTyped] = useState<CalendarDate | null>();
  return (
    <I18nProvider locale={`${locale}-u-ca-gregory`}>
      <AriaDatePicker
        className={styles['field'] as string}
        value={typed === undefined ? dayOf(value) : typed}
        minValue={dayOf(min)}
        maxValue={dayOf(max)}
        onChange={(day) => {
          setTyped(day);
          if (day === null || day.year >= 1000) onValue(day?.toString() ?? '');
        }}
        onBlur={() => setTyped(undefined)}
      >
        <Label>{label}</Label>
        <Group className={styles['control'] as string}>
          <DateInput className={styles['input'] as string}>
            {(segment) => <DateSegment segment={segment} className={styles['segment'] as string} />}
          </DateInput>
          <Button className="ghost small">
            <CalendarDays size={15} aria-hidden />
          </Button>
        </Group>
        <Popover className={popup['popup'] as string}>
          <Dialog className={styles['calendar'] as string}>
            <Calendar>
              <header>
                <Button slot="previous" className="ghost small">
                  <ChevronLeft size={16} aria-hidden className="mirrored" />
                </Button>
                <Heading />
                <Button slot="next" className="ghost small">
                  <ChevronRight size={16} aria-hidden className="mirrored" />
                </Button>
              </header>
              <CalendarGrid>
                {(date) => <CalendarCell date={date} className={styles['day'] as string} />}
              </CalendarGrid>
            </Calendar>
          </Dialog>
        </Popover>
      </AriaDatePicker>
    </I18nProvider>
  );
}

function dayOf(value: string | undefined): CalendarDate | null {
  try {
    return value ? parseDate(value) : null;
  } catch {
    return null;
  }
}
