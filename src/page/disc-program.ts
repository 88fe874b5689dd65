// Draws notes as discs with a rim, in WebGL: a rim of paper keeps neighbours apart, a coloured one makes a hollow disc. Knows no note.
import { NodeProgram, type ProgramInfo } from 'sigma/rendering';
import type { NodeDisplayData, RenderParams } from 'sigma/types';
import { floatColor } from 'sigma/utils';

/** What a node of the scene has beside what every node has. */
export interface Disc extends NodeDisplayData {
  readonly rim: string;
  /** In pixels. */
  readonly rimWidth: number;
}

const UNIFORMS = ['u_sizeRatio', 'u_correctionRatio', 'u_matrix'] as const;

const VERTEX = `
attribute vec4 a_id;
attribute vec4 a_fill;
attribute vec4 a_rim;
attribute vec2 a_position;
attribute float a_size;
attribute float a_rimWidth;
attribute float a_angle;
uniform mat3 u_matrix;
uniform float u_sizeRatio;
uniform float u_correctionRatio;
varying vec4 v_fill;
varying vec4 v_rim;
varying vec2 v_away;
varying float v_radius;
varying float v_rimWidth;
void main() {
  float reach = a_size * u_correctionRatio / u_sizeRatio * 4.0;
  v_away = reach * vec2(cos(a_angle), sin(a_angle));
  v_radius = reach / 2.0;
  v_rimWidth = min(a_rimWidth * 2.0 * u_correctionRatio, v_radius * 0.5);
  gl_Position = vec4((u_matrix * vec3(a_position + v_away, 1.0)).xy, 0.0, 1.0);
  #ifdef PICKING_MODE
  v_fill = a_id;
  #else
  v_fill = a_fill;
  #endif
  v_fill.a *= 255.0 / 254.0;
  v_rim = a_rim;
  v_rim.a *= 255.0 / 254.0;
}`;

const FRAGMENT = `
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

export class DiscProgram extends NodeProgram<(typeof UNIFORMS)[number]> {
  override getDefinition() {
    const { FLOAT, UNSIGNED_BYTE, TRIANGLES } = WebGLRenderingContext;
    const colour = (name: string) => ({ name, size: 4, type: UNSIGNED_BYTE, normalized: true });
    const number = (name: string, size = 1) => ({ name, size, type: FLOAT });
    return {
      VERTICES: 3,
      VERTEX_SHADER_SOURCE: VERTEX,
      FRAGMENT_SHADER_SOURCE: FRAGMENT,
      METHOD: TRIANGLES,
      UNIFORMS,
      ATTRIBUTES: [
        number('a_position', 2),
        number('a_size'),
        colour('a_fill'),
        colour('a_rim'),
        number('a_rimWidth'),
        colour('a_id'),
      ],
      CONSTANT_ATTRIBUTES: [number('a_angle')],
      CONSTANT_DATA: [[0], [(2 * Math.PI) / 3], [(4 * Math.PI) / 3]],
    };
  }

  override processVisibleItem(id: number, offset: number, data: NodeDisplayData): void {
    const { x, y, size, color, rim, rimWidth } = data as Disc;
    this.array.set([x, y, size, floatColor(color), floatColor(rim), rimWidth, id], offset);
  }

  override setUniforms(
    { correctionRatio, sizeRatio, matrix }: RenderParams,
    { gl, uniformLocations }: ProgramInfo,
  ): void {
    gl.uniform1f(uniformLocations.u_correctionRatio ?? null, correctionRatio);
    gl.uniform1f(uniformLocations.u_sizeRatio ?? null, sizeRatio);
    gl.uniformMatrix3fv(uniformLocations.u_matrix ?? null, false, matrix);
  }
}
