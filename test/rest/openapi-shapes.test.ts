import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { OpenApiDocument } from '#rest/openapi/document.ts';
import { buildOpenApiDocument } from '#rest/openapi.ts';
import type { AppRouter } from '#server/router.ts';
import { procedure, type Route, router } from '#server/trpc.ts';
import { successes, withoutExamples } from './openapi-structure.ts';

const address = z
  .object({ city: z.string(), zip: z.string().nullable().default(null) })
  .meta({ id: 'Address' });
const route = (method: Route['method'], path: Route['path'], more: Partial<Route> = {}) => ({
  route: { method, path, tag: 'Orders', summary: 'Order', ...more },
});

function documentOf(record: Parameters<typeof router>[0]): OpenApiDocument {
  return withoutExamples(buildOpenApiDocument(router(record) as unknown as AppRouter));
}

describe('the document of a router', () => {
  test('a schema on both sides of the wire is one component, where it is nested too', () => {
    const orderRequest = z.object({ to: address }).meta({ id: 'OrderRequest' });
    const order = z.object({ id: z.string(), request: orderRequest, to: address }).meta({ id: 'Order' });
    const { components, paths } = documentOf({
      order: procedure
        .meta(route('POST', '/orders'))
        .input(orderRequest)
        .output(order)
        .mutation(() => undefined as never),
    });
    expect(components.schemas['Address']).toEqual({
      type: 'object',
      properties: { city: { type: 'string' }, zip: { default: null, type: ['string', 'null'] } },
      required: ['city'],
    });
    expect(Object.keys(components.schemas)).toEqual([
      'Address',
      'ErrorDetail',
      'HTTPValidationError',
      'Order',
      'OrderRequest',
      'ValidationError',
    ]);
    expect(components.schemas['Order']?.properties?.['to']).toEqual({ $ref: '#/components/schemas/Address' });
    expect(paths['/orders']?.post?.requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/OrderRequest' } } },
    });
  });

  test("an input's id names its body, without the path parameters", () => {
    const { components, paths } = documentOf({
      review: procedure
        .meta(route('POST', '/orders/{order_id}/review', { status: 202 }))
        .input(z.object({ order_id: z.string(), note: z.string().optional() }).meta({ id: 'OrderReview' }))
        .output(z.object({}))
        .mutation(() => ({})),
    });
    expect(components.schemas['OrderReview']).toEqual({
      type: 'object',
      properties: { note: { type: 'string' } },
    });
    const review = paths['/orders/{order_id}/review']?.post;
    expect(review?.parameters[0]).toMatchObject({ in: 'path', name: 'order_id', required: true });
    expect(review?.requestBody?.required).toBe(false);
    expect(successes(review?.responses ?? {})).toEqual(['202']);
  });

  test('204 has no content, and an input of path parameters alone no body', () => {
    const { paths } = documentOf({
      remove: procedure
        .meta(route('DELETE', '/orders/{order_id}', { status: 204 }))
        .input(z.object({ order_id: z.string() }))
        .output(z.void())
        .mutation(() => {}),
      cancel: procedure
        .meta(route('POST', '/orders/{order_id}/cancel'))
        .input(z.object({ order_id: z.string() }))
        .output(z.object({}))
        .mutation(() => ({})),
    });
    expect(paths['/orders/{order_id}']?.delete?.responses['204']).toEqual({
      description: 'Done, no body',
      headers: expect.anything(),
    });
    expect(paths['/orders/{order_id}/cancel']?.post?.requestBody).toBeUndefined();
  });

  test('paths, methods, tags and components are in the same order, however the router is written', () => {
    const get = procedure
      .meta(route('GET', '/b'))
      .output(address)
      .query(() => undefined as never);
    const put = procedure
      .meta(route('PUT', '/b'))
      .output(address)
      .mutation(() => undefined as never);
    const other = procedure
      .meta(route('GET', '/a', { tag: 'A' }))
      .output(z.object({}))
      .query(() => ({}));
    const text = JSON.stringify(documentOf({ get, put, other }));
    expect(JSON.stringify(documentOf({ other, put, get }))).toBe(text);
    expect(Object.keys(JSON.parse(text).paths)).toEqual(['/a', '/b']);
  });

  test('two different bodies of one id are refused, by name', () => {
    const make = (path: Route['path'], shape: z.ZodRawShape) =>
      procedure
        .meta(route('POST', path))
        .input(z.object(shape).meta({ id: 'Twice' }))
        .output(z.object({}))
        .mutation(() => ({}));
    expect(() => documentOf({ a: make('/a', { x: z.string() }), b: make('/b', { y: z.string() }) })).toThrow(
      'another body has the id Twice',
    );
  });
});
