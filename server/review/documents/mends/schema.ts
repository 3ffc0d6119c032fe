import { z } from 'zod';
import { currentSegments, ofDocumentJob, reviewer } from '../segment-schema.ts';

/* The requests and responses of mends: changes of the texts of a page. */

export const regionId = z.string().min(1).max(500);

export const texts = (least: number) =>
  z
    .array(regionId)
    .min(least)
    .max(50)
    .refine((ids) => new Set(ids).size === ids.length, 'name each text once')
    .describe(`The region IDs of ${least === 1 ? '1' : '2'} to 50 texts.`);

export const join = z.object({ action: z.literal('join'), region_ids: texts(2) }).meta({
  description: 'Makes one text of neighbors in the reading order.',
});

const split = z
  .object({
    action: z.literal('split'),
    region_id: regionId.describe('The region ID of the text.'),
    at: z
      .array(z.int().min(1))
      .max(50)
      .default([])
      .describe(
        'The offsets in `source_text` at which it is divided, in UTF-16 units. Without offsets, a text that continues in another column or on another page is divided there.',
      ),
  })
  .meta({ description: 'Makes several texts of one.' });

/** The minimum width and height of the place of a text, in points. */
const minSpace = 5;

const space = z
  .object({
    action: z.literal('space'),
    region_id: regionId.describe('The region ID of the text.'),
    rectangle: z
      .array(z.number())
      .length(4)
      .refine(
        ([left = 0, bottom = 0, right = 0, top = 0]) => right - left >= minSpace && top - bottom >= minSpace,
        {
          message: `a rectangle is [left, bottom, right, top], at least ${minSpace} points wide and high`,
        },
      )
      .describe('The place of the translation: [left, bottom, right, top], as in `target_rectangles`.'),
  })
  .meta({ description: 'Gives the translation another place on its page.' });

const size = z
  .object({
    action: z.literal('size'),
    region_id: regionId.describe('The region ID of the text.'),
    like: regionId.describe('The text of the same page whose font size it gets.'),
  })
  .meta({ description: 'Gives the translation the font size of another text.' });

const mendOfRequest = z
  .discriminatedUnion('action', [
    join,
    split,
    z.object({ action: z.literal('keep'), region_ids: texts(1) }).meta({
      description: 'Leaves texts as they are in the source.',
    }),
    z.object({ action: z.literal('translate'), region_ids: texts(1) }).meta({
      description:
        'Translates texts that are kept: by a reviewer, or because of what they are, such as numbers.',
    }),
    z
      .object({
        action: z.literal('order'),
        region_id: regionId.describe('The region ID of the text.'),
        after: regionId.nullable().describe('The text after which it is read; null for the first one.'),
      })
      .meta({ description: 'Moves a text in the reading order.' }),
    space,
    size,
  ])
  .describe('The change.');

/** The maximum number of joins or splits in one change. */
const maxMends = 500;

export const mendInput = z.object({
  ...ofDocumentJob,
  mend: z
    .union([
      mendOfRequest,
      z
        .array(z.discriminatedUnion('action', [join, split]))
        .min(1)
        .max(maxMends),
    ])
    .describe(
      `The change, or up to ${maxMends} joins and splits, or places and sizes, of different texts, which are one change.`,
    ),
  reviewer,
});

export type MendInput = z.infer<typeof mendInput>;

export type Requested = z.infer<typeof mendOfRequest>;

export const mendedTexts = currentSegments.extend({
  change_id: z.string().describe('The change. `documents.undo` undoes it.'),
  removed: z
    .array(z.int())
    .describe('The positions of the texts that the document does not have any longer.'),
  translated_again: z
    .object({
      segments: z.int().describe('The number of texts.'),
      characters: z.int().describe('The code points of their sources, which are billed once.'),
    })
    .describe('The texts that are translated again.'),
});

export type MendedView = z.infer<typeof mendedTexts>;

export const pageQuery = z.object({
  ...ofDocumentJob,
  page: z.int().min(1).max(1_000_000).describe('The number of the page, from 1.'),
});

export const pageOfTexts = z.object({
  kept: z
    .array(
      z.object({
        region_id: z.string().describe('The ID of the text, with which it can be translated.'),
        text: z.string().describe('The text.'),
        reason: z.string().describe('Why it is not translated, such as `number`, `identifier` or `label`.'),
        rectangle: z
          .array(z.number())
          .describe(
            'Its place on the page: [left, bottom, right, top], in points, before the page is rotated.',
          ),
      }),
    )
    .describe('The texts of the page that are not translated and can be.'),
  places: z
    .array(
      z.object({
        region_ids: z.array(z.string()).describe('The texts of the place, as they are read.'),
        rule: z.string().describe('The rule that has decided, such as `indent`. Values may be added.'),
        mend: mendOfRequest.describe('The change that gives the other reading.'),
        after: z.array(z.string()).describe('The texts of the other reading.'),
      }),
    )
    .describe('The places to look at: the service is not sure which words are one text.'),
});

export const similarQuery = z.object({
  ...ofDocumentJob,
  mend: mendOfRequest.describe('A change of this document. It is made already, or not yet.'),
});

export const similarPlaces = z.object({
  places: z
    .array(
      z.object({
        mend: mendOfRequest.describe('The change to make there.'),
        page: z.int().describe('The number of the page, from 1.'),
        now: z.array(z.string()).describe('The texts as they are.'),
        after: z.array(z.string()).describe('The texts that the change makes.'),
        is_sure: z
          .boolean()
          .describe('Whether the words are alike, too, and not only the look and the place.'),
        confirmed: z.int().describe('How many of the texts are confirmed. They are open after the change.'),
      }),
    )
    .describe('The places, those that are not sure first.'),
});
