export interface JsonSchema {
  $ref?: string;
  title?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  format?: string;
  description?: string;
  deprecated?: boolean;
  default?: unknown;
  const?: unknown;
  minimum?: number;
  maximum?: number;
  additionalProperties?: JsonSchema | boolean;
}

/** The schemas and examples of a body, by its content types. */
export type Content = Record<
  string,
  { schema: JsonSchema; example?: unknown; examples?: Record<string, { value: unknown }> }
>;

export interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  required?: boolean;
  description?: string;
  /** `deepObject` if the parameter has members. */
  style?: 'deepObject';
  explode?: boolean;
  schema: JsonSchema;
  example?: unknown;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: Content;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, ResponseObject>;
}

/** HTTP methods in the order in which the document lists them at a path. */
export const methods = ['get', 'put', 'post', 'patch', 'delete'] as const;
export type Method = (typeof methods)[number];

/** An OpenAPI 3.1 document, as plain JSON. */
export interface OpenApiDocument {
  openapi: string;
  info: {
    title: string;
    version: string;
    description: string;
    contact: { name: string };
    license: { name: string; identifier: string };
  };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Partial<Record<Method, Operation>>>;
  components: { schemas: Record<string, JsonSchema> };
}

/** Returns a reference to the component with this id. */
export function refTo(id: string): { $ref: string } {
  return { $ref: `#/components/schemas/${id}` };
}
