import { message, number } from "./protobuf.mjs";

/** Numbers of fields in onnx.proto, by message. */
const NODE = { input: 1, output: 2, opType: 4, attribute: 5 };
const ATTRIBUTE = { name: 1, integer: 3, integers: 8, type: 20 };
const TENSOR = { dims: 1, dataType: 2, name: 8, rawData: 9 };
const VALUE = { name: 1, type: 2 };
const TENSOR_TYPE = { tensor: 1, elementType: 1, shape: 2, dim: 1, dimValue: 1, dimParam: 2 };
const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 };
const MODEL = { irVersion: 1, producer: 2, graph: 7, opset: 8 };
const OPSET = { domain: 1, version: 2 };

const FLOAT = 1;
const INT64 = 7;
const INTEGER_ATTRIBUTE = 2;
const INTEGERS_ATTRIBUTE = 7;

/** @typedef {"float" | "int64"} ElementType */

/** Collects the nodes of an ONNX graph. Values are named by what makes them. */
export class OnnxGraph {
  /** @type {Buffer[]} */
  #fields = [];
  #names = 0;

  /** @param {string} name @param {ElementType} type @param {(number | string)[]} dims a name is a size that is free */
  input(name, type, dims) {
    this.#fields.push(valueField(GRAPH.input, name, type, dims));
    return name;
  }

  /** @param {string} name @param {ElementType} type @param {(number | string)[]} dims */
  output(name, type, dims) {
    this.#fields.push(valueField(GRAPH.output, name, type, dims));
  }

  /** @param {string} name @param {number[]} dims @param {Float32Array<ArrayBuffer>} data */
  floats(name, dims, data) {
    return this.#constant(name, dims, FLOAT, Buffer.from(data.buffer));
  }

  /** @param {string} name @param {number} value */
  float(name, value) {
    return this.floats(name, [], Float32Array.of(value));
  }

  /** @param {string} name @param {number[]} values */
  integers(name, values) {
    return this.#constant(name, [values.length], INT64, int64s(values));
  }

  /** @param {string} name @param {number} value */
  integer(name, value) {
    return this.#constant(name, [], INT64, int64s([value]));
  }

  /**
   * @param {string} operator
   * @param {string[]} inputs
   * @param {Record<string, number | number[]>} [attributes]
   * @param {string} [output] its name, when it has one
   */
  node(operator, inputs, attributes = {}, output = `value_${this.#names++}`) {
    this.#fields.push(
      message(
        GRAPH.node,
        ...inputs.map((input) => message(NODE.input, input)),
        message(NODE.output, output),
        message(NODE.opType, operator),
        ...Object.entries(attributes).map(([name, value]) => attribute(name, value)),
      ),
    );
    return output;
  }

  /** The file. @param {string} name @param {number} opset */
  model(name, opset) {
    return Buffer.concat([
      number(MODEL.irVersion, 8),
      message(MODEL.producer, name),
      message(MODEL.graph, message(GRAPH.name, name), ...this.#fields),
      message(MODEL.opset, message(OPSET.domain, ""), number(OPSET.version, opset)),
    ]);
  }

  /** @param {string} name @param {number[]} dims @param {number} type @param {Buffer} data */
  #constant(name, dims, type, data) {
    this.#fields.push(
      message(
        GRAPH.initializer,
        ...dims.map((dim) => number(TENSOR.dims, dim)),
        number(TENSOR.dataType, type),
        message(TENSOR.name, name),
        message(TENSOR.rawData, data),
      ),
    );
    return name;
  }
}

/** @param {number[]} values */
const int64s = (values) => Buffer.from(BigInt64Array.from(values, BigInt).buffer);

/** @param {string} name @param {number | number[]} value */
function attribute(name, value) {
  const [type, values] = Array.isArray(value)
    ? [INTEGERS_ATTRIBUTE, value.map((each) => number(ATTRIBUTE.integers, each))]
    : [INTEGER_ATTRIBUTE, [number(ATTRIBUTE.integer, value)]];
  return message(NODE.attribute, message(ATTRIBUTE.name, name), ...values, number(ATTRIBUTE.type, type));
}

/** @param {number} field @param {string} name @param {ElementType} type @param {(number | string)[]} dims */
function valueField(field, name, type, dims) {
  const shape = dims.map((dim) =>
    message(
      TENSOR_TYPE.dim,
      typeof dim === "string" ? message(TENSOR_TYPE.dimParam, dim) : number(TENSOR_TYPE.dimValue, dim),
    ),
  );
  const elementType = number(TENSOR_TYPE.elementType, type === "float" ? FLOAT : INT64);
  const tensor = message(TENSOR_TYPE.tensor, elementType, message(TENSOR_TYPE.shape, ...shape));
  return message(field, message(VALUE.name, name), message(VALUE.type, tensor));
}
