// Draws notes as rimmed discs in WebGL: a background-coloured rim separates neighbours, a coloured rim makes a ring.
import type { ProgramInfo } from 'sigma/rendering';
import type { NodeDisplayData, RenderParams } from 'sigma/types';
import type {} from './drawing.ts';

const { NodeProgram, floatColor } = globalThis.vaultgraphDrawing;

/** The additional display data of a disc. */
interface Disc extends NodeDisplayData {
  readonly rim: string;
  /** Width in pixels. */
  readonly rimWidth: number;
}

const number = (name: string, size = 1) => ({ name, size, type: WebGLRenderingContext.FLOAT });
const colour = (name: string) => ({ name, size: 4, type: WebGLRenderingContext.UNSIGNED_BYTE, normalized: true });

/** The attributes, in the order of `discData`. */
const discAttributes = () => [
  number('a_position', 2),
  number('a_size'),
  colour('a_fill'),
  colour('a_rim'),
  number('a_rimWidth'),
  colour('a_id'),
];

function discData(id: number, data: NodeDisplayData): number[] {
  const { x, y, size, color, rim, rimWidth } = data as Disc;
  return [x, y, size, floatColor(color), floatColor(rim), rimWidth, id];
}

/** The declarations at the head of both vertex shaders. */
const DISC_INPUTS = `
attribute vec4 a_id;
attribute vec4 a_fill;
attribute vec4 a_rim;
attribute vec2 a_position;
attribute float a_size;
attribute float a_rimWidth;
uniform mat3 u_matrix;
uniform float u_sizeRatio;
varying vec4 v_fill;
varying vec4 v_rim;
varying float v_radius;
varying float v_rimWidth;`;

/** Part of `main` of both vertex shaders; in the picking image, the colour is the id of the note. */
const DISC_COLOURS = `
  #ifdef PICKING_MODE
  v_fill = a_id;
  #else
  v_fill = a_fill;
  #endif
  v_fill.a *= 255.0 / 254.0;
  v_rim = a_rim;
  v_rim.a *= 255.0 / 254.0;`;

/** Sets the camera uniforms of both programs. */
function setCamera({ sizeRatio, matrix }: RenderParams, { gl, uniformLocations }: CameraProgram): void {
  gl.uniform1f(uniformLocations.u_sizeRatio ?? null, sizeRatio);
  gl.uniformMatrix3fv(uniformLocations.u_matrix ?? null, false, matrix);
}

type CameraProgram = Pick<ProgramInfo<'u_sizeRatio' | 'u_matrix'>, 'gl' | 'uniformLocations'>;

const DISC_UNIFORMS = ['u_sizeRatio', 'u_correctionRatio', 'u_matrix'] as const;

const DISC_VERTEX = `${DISC_INPUTS}
attribute float a_angle;
uniform float u_correctionRatio;
varying vec2 v_away;
void main() {
  float reach = a_size * u_correctionRatio / u_sizeRatio * 4.0;
  v_away = reach * vec2(cos(a_angle), sin(a_angle));
  v_radius = reach / 2.0;
  v_rimWidth = min(a_rimWidth * 2.0 * u_correctionRatio, v_radius * 0.5);
  gl_Position = vec4((u_matrix * vec3(a_position + v_away, 1.0)).xy, 0.0, 1.0);
${DISC_COLOURS}
}`;

const DISC_FRAGMENT = `
precision highp float;
varying vec4 v_fill;
varying vec4 v_rim;
varying vec2 v_away;
varying float v_radius;
varying float v_rimWidth;
uniform float u_correctionRatio;
void main(void) {
  float soft = u_correctionRatio * 2.0;
  float distance = length(v_away);
  #ifdef PICKING_MODE
  if (distance > v_radius) discard;
  gl_FragColor = v_fill;
  #else
  float inside = 1.0 - smoothstep(v_radius - soft, v_radius, distance);
  float filled = 1.0 - smoothstep(v_radius - v_rimWidth - soft, v_radius - v_rimWidth, distance);
  gl_FragColor = mix(v_rim, v_fill, filled) * inside;
  #endif
}`;

export class DiscProgram extends NodeProgram<(typeof DISC_UNIFORMS)[number]> {
  override getDefinition() {
    return {
      VERTICES: 3,
      VERTEX_SHADER_SOURCE: DISC_VERTEX,
      FRAGMENT_SHADER_SOURCE: DISC_FRAGMENT,
      METHOD: WebGLRenderingContext.TRIANGLES,
      UNIFORMS: DISC_UNIFORMS,
      ATTRIBUTES: discAttributes(),
      CONSTANT_ATTRIBUTES: [number('a_angle')],
      CONSTANT_DATA: [[0], [(2 * Math.PI) / 3], [(4 * Math.PI) / 3]],
    };
  }

  override processVisibleItem(id: number, offset: number, data: NodeDisplayData): void {
    this.array.set(discData(id, data), offset);
  }

  override setUniforms(params: RenderParams, program: ProgramInfo): void {
    setCamera(params, program);
    program.gl.uniform1f(program.uniformLocations.u_correctionRatio ?? null, params.correctionRatio);
  }
}

// Draws notes as rimmed discs, one WebGL point each; used for large graphs because it costs a tenth.

const DOT_UNIFORMS = ['u_sizeRatio', 'u_pixelRatio', 'u_matrix'] as const;

const DOT_VERTEX = `${DISC_INPUTS}
uniform float u_pixelRatio;
void main() {
  v_radius = a_size / u_sizeRatio * u_pixelRatio;
  v_rimWidth = min(a_rimWidth * u_pixelRatio, v_radius * 0.5);
  gl_PointSize = v_radius * 2.0 + 1.0;
  gl_Position = vec4((u_matrix * vec3(a_position, 1.0)).xy, 0.0, 1.0);
${DISC_COLOURS}
}`;

const DOT_FRAGMENT = `
precision highp float;
varying vec4 v_fill;
varying vec4 v_rim;
varying float v_radius;
varying float v_rimWidth;
void main(void) {
  float distance = length(gl_PointCoord - vec2(0.5)) * (v_radius * 2.0 + 1.0);
  #ifdef PICKING_MODE
  if (distance > v_radius) discard;
  gl_FragColor = v_fill;
  #else
  float inside = clamp(v_radius + 0.5 - distance, 0.0, 1.0);
  float filled = clamp(v_radius - v_rimWidth + 0.5 - distance, 0.0, 1.0);
  gl_FragColor = mix(v_rim, v_fill, filled) * inside;
  #endif
}`;

export class DotProgram extends NodeProgram<(typeof DOT_UNIFORMS)[number]> {
  override getDefinition() {
    return {
      VERTICES: 1,
      VERTEX_SHADER_SOURCE: DOT_VERTEX,
      FRAGMENT_SHADER_SOURCE: DOT_FRAGMENT,
      METHOD: WebGLRenderingContext.POINTS,
      UNIFORMS: DOT_UNIFORMS,
      ATTRIBUTES: discAttributes(),
    };
  }

  override processVisibleItem(id: number, offset: number, data: NodeDisplayData): void {
    this.array.set(discData(id, data), offset);
  }

  /** While the graph moves, the picking image is not drawn; it is drawn again when the graph rests. */
  override render(params: RenderParams): void {
    const { pickProgram } = this;
    if (this.isMoving()) this.pickProgram = null;
    super.render(params);
    this.pickProgram = pickProgram;
  }

  isMoving(): boolean {
    const { isMoving, draggedEvents } = this.renderer.getMouseCaptor();
    const moves = isMoving || draggedEvents > 0 || this.renderer.getCamera().isAnimated();
    return moves && this.renderer.getSetting('hideEdgesOnMove');
  }

  override setUniforms(params: RenderParams, program: ProgramInfo): void {
    setCamera(params, program);
    program.gl.uniform1f(program.uniformLocations.u_pixelRatio ?? null, params.pixelRatio);
  }
}
