import { z } from 'zod';
import { moment } from '#server/platform/input-limits.ts';
import { reviewItem, segmentPosition } from './schema.ts';

/** Maximum number of Unicode code points of a comment. */
const maxLength = 4000;

/** Maximum number of members that a comment mentions. */
const maxMentions = 20;

const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' });

const commentId = z.uuid().toLowerCase();

/** Input of `reviews.comments`. */
export const commentsInput = reviewItem.extend({
  position: segmentPosition
    .optional()
    .describe('Only comments on this segment. If omitted, all comments on the item.'),
  cursor: z.string().max(200).optional().describe('The `next_cursor` of the previous page.'),
});

/** Input of `reviews.comment`. */
export const commentInput = reviewItem.extend({
  comment_id: commentId
    .optional()
    .describe('A new UUID. A request that is sent again with the same ID returns the first comment.'),
  position: segmentPosition
    .optional()
    .describe('The segment of a document. If omitted, the comment is about the whole item.'),
  body: z
    .string()
    .trim()
    .min(1)
    // A code point has one or two UTF-16 units: this stops the count of longer texts.
    .max(2 * maxLength)
    .refine((body) => [...body].length <= maxLength, `must have at most ${maxLength} characters`)
    .describe(`The text: 1 to ${maxLength} code points, without surrounding white space.`),
  mentions: z
    .array(z.string().max(64))
    .max(maxMentions)
    .default([])
    .describe('User IDs of active members of the workspace who are mentioned.'),
});

/** Input of `reviews.deleteComment`. */
export const commentDeletionInput = z.object({ comment_id: commentId });

export const commentDeletion = z.object({ deleted: z.literal(true), comment_id: z.string() });

/** A comment on an item, or on a segment of a document. */
export const comment = reviewItem.extend({
  comment_id: z.string().describe('A UUID.'),
  position: z.int().nullable().describe('The segment; null for a comment on the whole item.'),
  user_id: z.string().describe('The author.'),
  author: z.string().describe('The author’s email address or user ID when the comment was written.'),
  body: z.string().describe('The text.'),
  mentions: z.array(
    z.object({
      user_id: z.string().describe('The mentioned member.'),
      email: z.string().nullable().describe('Null for a former member without a record.'),
    }),
  ),
  created_at: dateTime,
});

export const commentPage = z.object({
  comments: z.array(comment).describe('Oldest first; at most 100.'),
  next_cursor: z.string().nullable().describe('Null on the last page.'),
});

/** Input of `reviews.mentions`. */
export const mentionsInput = z
  .object({
    since: moment.optional().describe('Only comments written after this time: ISO 8601 with a time zone.'),
    cursor: z.string().max(200).optional().describe('The `next_cursor` of the previous page.'),
  })
  .prefault({});

/** A comment that mentions the caller. */
const mention = comment.extend({
  item_name: z.string().describe('The file name of a document, or the first 100 characters of a text.'),
});

export const mentionList = z.object({
  mentions: z.array(mention).describe('Latest first; at most 50. A page may be short although more follow.'),
  next_cursor: z.string().nullable().describe('Null on the last page.'),
});

export type Comment = z.infer<typeof comment>;
export type CommentPage = z.infer<typeof commentPage>;
export type CommentInput = z.infer<typeof commentInput>;
export type CommentsInput = z.infer<typeof commentsInput>;
export type MentionList = z.infer<typeof mentionList>;
export type MentionsInput = z.infer<typeof mentionsInput>;
