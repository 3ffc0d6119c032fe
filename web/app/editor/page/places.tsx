import { ChevronDown, ChevronUp, Repeat2 } from 'lucide-react';
import { useState } from 'react';
import { useT } from '../../i18n.tsx';
import { CommandKey } from '../../keys/command-key.tsx';
import { runCommand } from '../../keys/use-commands.ts';
import { Grid, Row, Stack } from '../../kit/box.tsx';
import { Card } from '../../kit/card.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { Text } from '../../kit/text.tsx';
import styles from './page.module.css';
import type { PageText, Place } from './page-texts.ts';

const storedKey = 'lingualoop-right-places';

/** Maximum number of places that this device remembers as right. */
const maxStored = 500;

/** The places of a page that the reviewer has not found right on this device, and the selected one of them. */
export function usePlaces(documentId: string, found: readonly Place[], chosen: readonly string[]) {
  const [right, setRight] = useState(() => (localStorage.getItem(storedKey) ?? '').split(' '));
  const keyOf = ({ region_ids }: Place) => [documentId, ...region_ids].join('/');
  const places = found.filter((place) => !right.includes(keyOf(place)));
  return {
    places,
    at: places.findIndex(({ region_ids }) => isSame(region_ids, chosen)),
    markRight(place: Place) {
      const next = [...right, keyOf(place)].slice(-maxStored);
      localStorage.setItem(storedKey, next.join(' '));
      setRight(next);
    },
  };
}

/** Whether two selections have the same texts. */
export function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}

/** The place of a page that is looked at, with both readings of its texts. A place is a hint and prevents nothing. */
export function Places({
  places,
  at,
  texts,
  onUse,
  onRight,
}: {
  places: readonly Place[];
  /** The index of the place; -1 if none is looked at. */
  at: number;
  texts: readonly PageText[];
  onUse: (place: Place) => void;
  onRight: (place: Place) => void;
}) {
  const t = useT();
  const place = places[at];
  if (places.length === 0) return null;
  const now = place?.region_ids.map((id) => texts.find((text) => text.id === id)?.text ?? '') ?? [];
  return (
    <section aria-label={t('pageView.places', { count: places.length })} className={styles.places}>
      <Row justify="space-between">
        <Text as="b" size="sm">
          {t('pageView.places', { count: places.length })}
        </Text>
        <Row isTight gap={0}>
          {place && (
            <Text size="xs" tone="faint">
              {t('pageView.place_of', { place: at + 1, places: places.length })}
            </Text>
          )}
          <IconButton label={t('pageView.previous_place')} onClick={() => runCommand('previousFinding')}>
            <ChevronUp size={16} aria-hidden />
          </IconButton>
          <IconButton label={t('pageView.next_place')} onClick={() => runCommand('nextFinding')}>
            <ChevronDown size={16} aria-hidden />
          </IconButton>
        </Row>
      </Row>
      {place && (
        <Card pad={3} gap={2} tone="hint">
          <Text as="p" size="sm">
            {t(place.mend.action === 'join' ? 'pageView.doubt_join' : 'pageView.doubt_split')}
          </Text>
          <Grid least={9} gap={2}>
            <Reading title={t('pageView.now')} texts={now} />
            <Reading title={t('pageView.other_reading')} texts={place.after} />
          </Grid>
          <Row>
            <button type="button" className="small" onClick={() => onUse(place)}>
              <Repeat2 size={14} aria-hidden /> {t('pageView.use_other')} <CommandKey id="otherReading" />
            </button>
            <button type="button" className="ghost small" onClick={() => onRight(place)}>
              {t('pageView.is_right')} <CommandKey id="rightReading" />
            </button>
          </Row>
        </Card>
      )}
    </section>
  );
}

function Reading({ title, texts }: { title: string; texts: readonly string[] }) {
  return (
    <Stack gap={1}>
      <Text as="h3" size="xs" tone="faint">
        {title}
      </Text>
      {texts.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two texts may be equal
        <bdi key={index} className={styles.reading} translate="no">
          {text}
        </bdi>
      ))}
    </Stack>
  );
}
