/// A code for the loudspeakers of the channels, in order. The low 16 bits are the number of channels.
public typealias AudioChannelLayoutTag = UInt32

// In the comments, L is left, R right, C center, LFE low-frequency effects, s surround and r rear.

public let kAudioChannelLayoutTag_UseChannelDescriptions: AudioChannelLayoutTag = 0
public let kAudioChannelLayoutTag_UseChannelBitmap: AudioChannelLayoutTag = 1 << 16
public let kAudioChannelLayoutTag_Mono: AudioChannelLayoutTag = 100 << 16 | 1
public let kAudioChannelLayoutTag_Stereo: AudioChannelLayoutTag = 101 << 16 | 2
public let kAudioChannelLayoutTag_StereoHeadphones: AudioChannelLayoutTag = 102 << 16 | 2
public let kAudioChannelLayoutTag_MatrixStereo: AudioChannelLayoutTag = 103 << 16 | 2
public let kAudioChannelLayoutTag_MidSide: AudioChannelLayoutTag = 104 << 16 | 2
public let kAudioChannelLayoutTag_XY: AudioChannelLayoutTag = 105 << 16 | 2
public let kAudioChannelLayoutTag_Binaural: AudioChannelLayoutTag = 106 << 16 | 2
public let kAudioChannelLayoutTag_Ambisonic_B_Format: AudioChannelLayoutTag = 107 << 16 | 4
public let kAudioChannelLayoutTag_Quadraphonic: AudioChannelLayoutTag = 108 << 16 | 4
public let kAudioChannelLayoutTag_Pentagonal: AudioChannelLayoutTag = 109 << 16 | 5
public let kAudioChannelLayoutTag_Hexagonal: AudioChannelLayoutTag = 110 << 16 | 6
public let kAudioChannelLayoutTag_Octagonal: AudioChannelLayoutTag = 111 << 16 | 8
public let kAudioChannelLayoutTag_Cube: AudioChannelLayoutTag = 112 << 16 | 8
public let kAudioChannelLayoutTag_MPEG_1_0: AudioChannelLayoutTag = kAudioChannelLayoutTag_Mono
public let kAudioChannelLayoutTag_MPEG_2_0: AudioChannelLayoutTag = kAudioChannelLayoutTag_Stereo
/// L R C
public let kAudioChannelLayoutTag_MPEG_3_0_A: AudioChannelLayoutTag = 113 << 16 | 3
/// C L R
public let kAudioChannelLayoutTag_MPEG_3_0_B: AudioChannelLayoutTag = 114 << 16 | 3
/// L R C Cs
public let kAudioChannelLayoutTag_MPEG_4_0_A: AudioChannelLayoutTag = 115 << 16 | 4
/// C L R Cs
public let kAudioChannelLayoutTag_MPEG_4_0_B: AudioChannelLayoutTag = 116 << 16 | 4
/// L R C Ls Rs
public let kAudioChannelLayoutTag_MPEG_5_0_A: AudioChannelLayoutTag = 117 << 16 | 5
/// L R Ls Rs C
public let kAudioChannelLayoutTag_MPEG_5_0_B: AudioChannelLayoutTag = 118 << 16 | 5
/// L C R Ls Rs
public let kAudioChannelLayoutTag_MPEG_5_0_C: AudioChannelLayoutTag = 119 << 16 | 5
/// C L R Ls Rs
public let kAudioChannelLayoutTag_MPEG_5_0_D: AudioChannelLayoutTag = 120 << 16 | 5
/// L R C LFE Ls Rs
public let kAudioChannelLayoutTag_MPEG_5_1_A: AudioChannelLayoutTag = 121 << 16 | 6
/// L R Ls Rs C LFE
public let kAudioChannelLayoutTag_MPEG_5_1_B: AudioChannelLayoutTag = 122 << 16 | 6
/// L C R Ls Rs LFE
public let kAudioChannelLayoutTag_MPEG_5_1_C: AudioChannelLayoutTag = 123 << 16 | 6
/// C L R Ls Rs LFE
public let kAudioChannelLayoutTag_MPEG_5_1_D: AudioChannelLayoutTag = 124 << 16 | 6
/// L R C LFE Ls Rs Cs
public let kAudioChannelLayoutTag_MPEG_6_1_A: AudioChannelLayoutTag = 125 << 16 | 7
/// L R C LFE Ls Rs Lc Rc
public let kAudioChannelLayoutTag_MPEG_7_1_A: AudioChannelLayoutTag = 126 << 16 | 8
/// C Lc Rc L R Ls Rs LFE
public let kAudioChannelLayoutTag_MPEG_7_1_B: AudioChannelLayoutTag = 127 << 16 | 8
/// L R C LFE Ls Rs Rls Rrs
public let kAudioChannelLayoutTag_MPEG_7_1_C: AudioChannelLayoutTag = 128 << 16 | 8
/// L R Ls Rs C LFE Lc Rc
public let kAudioChannelLayoutTag_Emagic_Default_7_1: AudioChannelLayoutTag = 129 << 16 | 8
/// L R C LFE Ls Rs Lt Rt
public let kAudioChannelLayoutTag_SMPTE_DTV: AudioChannelLayoutTag = 130 << 16 | 8
public let kAudioChannelLayoutTag_ITU_1_0: AudioChannelLayoutTag = kAudioChannelLayoutTag_Mono
public let kAudioChannelLayoutTag_ITU_2_0: AudioChannelLayoutTag = kAudioChannelLayoutTag_Stereo
/// L R Cs
public let kAudioChannelLayoutTag_ITU_2_1: AudioChannelLayoutTag = 131 << 16 | 3
/// L R Ls Rs
public let kAudioChannelLayoutTag_ITU_2_2: AudioChannelLayoutTag = 132 << 16 | 4
public let kAudioChannelLayoutTag_ITU_3_0: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_3_0_A
public let kAudioChannelLayoutTag_ITU_3_1: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_4_0_A
public let kAudioChannelLayoutTag_ITU_3_2: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_5_0_A
public let kAudioChannelLayoutTag_ITU_3_2_1: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_5_1_A
public let kAudioChannelLayoutTag_ITU_3_4_1: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_7_1_C
public let kAudioChannelLayoutTag_DVD_0: AudioChannelLayoutTag = kAudioChannelLayoutTag_Mono
public let kAudioChannelLayoutTag_DVD_1: AudioChannelLayoutTag = kAudioChannelLayoutTag_Stereo
public let kAudioChannelLayoutTag_DVD_2: AudioChannelLayoutTag = kAudioChannelLayoutTag_ITU_2_1
public let kAudioChannelLayoutTag_DVD_3: AudioChannelLayoutTag = kAudioChannelLayoutTag_ITU_2_2
/// L R LFE
public let kAudioChannelLayoutTag_DVD_4: AudioChannelLayoutTag = 133 << 16 | 3
/// L R LFE Cs
public let kAudioChannelLayoutTag_DVD_5: AudioChannelLayoutTag = 134 << 16 | 4
/// L R LFE Ls Rs
public let kAudioChannelLayoutTag_DVD_6: AudioChannelLayoutTag = 135 << 16 | 5
public let kAudioChannelLayoutTag_DVD_7: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_3_0_A
public let kAudioChannelLayoutTag_DVD_8: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_4_0_A
public let kAudioChannelLayoutTag_DVD_9: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_5_0_A
/// L R C LFE
public let kAudioChannelLayoutTag_DVD_10: AudioChannelLayoutTag = 136 << 16 | 4
/// L R C LFE Cs
public let kAudioChannelLayoutTag_DVD_11: AudioChannelLayoutTag = 137 << 16 | 5
public let kAudioChannelLayoutTag_DVD_12: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_5_1_A
public let kAudioChannelLayoutTag_DVD_13: AudioChannelLayoutTag = kAudioChannelLayoutTag_DVD_8
public let kAudioChannelLayoutTag_DVD_14: AudioChannelLayoutTag = kAudioChannelLayoutTag_DVD_9
public let kAudioChannelLayoutTag_DVD_15: AudioChannelLayoutTag = kAudioChannelLayoutTag_DVD_10
public let kAudioChannelLayoutTag_DVD_16: AudioChannelLayoutTag = kAudioChannelLayoutTag_DVD_11
public let kAudioChannelLayoutTag_DVD_17: AudioChannelLayoutTag = kAudioChannelLayoutTag_DVD_12
/// L R Ls Rs LFE
public let kAudioChannelLayoutTag_DVD_18: AudioChannelLayoutTag = 138 << 16 | 5
public let kAudioChannelLayoutTag_DVD_19: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_5_0_B
public let kAudioChannelLayoutTag_DVD_20: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_5_1_B
public let kAudioChannelLayoutTag_AudioUnit_4: AudioChannelLayoutTag = kAudioChannelLayoutTag_Quadraphonic
public let kAudioChannelLayoutTag_AudioUnit_5: AudioChannelLayoutTag = kAudioChannelLayoutTag_Pentagonal
public let kAudioChannelLayoutTag_AudioUnit_6: AudioChannelLayoutTag = kAudioChannelLayoutTag_Hexagonal
public let kAudioChannelLayoutTag_AudioUnit_8: AudioChannelLayoutTag = kAudioChannelLayoutTag_Octagonal
public let kAudioChannelLayoutTag_AudioUnit_5_0: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_5_0_B
/// L R Ls Rs C Cs
public let kAudioChannelLayoutTag_AudioUnit_6_0: AudioChannelLayoutTag = 139 << 16 | 6
/// L R Ls Rs C Rls Rrs
public let kAudioChannelLayoutTag_AudioUnit_7_0: AudioChannelLayoutTag = 140 << 16 | 7
/// L R Ls Rs C Lc Rc
public let kAudioChannelLayoutTag_AudioUnit_7_0_Front: AudioChannelLayoutTag = 148 << 16 | 7
public let kAudioChannelLayoutTag_AudioUnit_5_1: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_5_1_A
public let kAudioChannelLayoutTag_AudioUnit_6_1: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_6_1_A
public let kAudioChannelLayoutTag_AudioUnit_7_1: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_7_1_C
public let kAudioChannelLayoutTag_AudioUnit_7_1_Front: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_7_1_A
public let kAudioChannelLayoutTag_AAC_3_0: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_3_0_B
public let kAudioChannelLayoutTag_AAC_Quadraphonic: AudioChannelLayoutTag = kAudioChannelLayoutTag_Quadraphonic
public let kAudioChannelLayoutTag_AAC_4_0: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_4_0_B
public let kAudioChannelLayoutTag_AAC_5_0: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_5_0_D
public let kAudioChannelLayoutTag_AAC_5_1: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_5_1_D
/// C L R Ls Rs Cs
public let kAudioChannelLayoutTag_AAC_6_0: AudioChannelLayoutTag = 141 << 16 | 6
/// C L R Ls Rs Cs LFE
public let kAudioChannelLayoutTag_AAC_6_1: AudioChannelLayoutTag = 142 << 16 | 7
/// C L R Ls Rs Rls Rrs
public let kAudioChannelLayoutTag_AAC_7_0: AudioChannelLayoutTag = 143 << 16 | 7
public let kAudioChannelLayoutTag_AAC_7_1: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_7_1_B
/// C L R Ls Rs Rls Rrs LFE
public let kAudioChannelLayoutTag_AAC_7_1_B: AudioChannelLayoutTag = 183 << 16 | 8
/// C L R Ls Rs LFE Vhl Vhr
public let kAudioChannelLayoutTag_AAC_7_1_C: AudioChannelLayoutTag = 184 << 16 | 8
/// C L R Ls Rs Rls Rrs Cs
public let kAudioChannelLayoutTag_AAC_Octagonal: AudioChannelLayoutTag = 144 << 16 | 8
public let kAudioChannelLayoutTag_TMH_10_2_std: AudioChannelLayoutTag = 145 << 16 | 16
public let kAudioChannelLayoutTag_TMH_10_2_full: AudioChannelLayoutTag = 146 << 16 | 21
/// C LFE
public let kAudioChannelLayoutTag_AC3_1_0_1: AudioChannelLayoutTag = 149 << 16 | 2
/// L C R
public let kAudioChannelLayoutTag_AC3_3_0: AudioChannelLayoutTag = 150 << 16 | 3
/// L C R Cs
public let kAudioChannelLayoutTag_AC3_3_1: AudioChannelLayoutTag = 151 << 16 | 4
/// L C R LFE
public let kAudioChannelLayoutTag_AC3_3_0_1: AudioChannelLayoutTag = 152 << 16 | 4
/// L R Cs LFE
public let kAudioChannelLayoutTag_AC3_2_1_1: AudioChannelLayoutTag = 153 << 16 | 4
/// L C R Cs LFE
public let kAudioChannelLayoutTag_AC3_3_1_1: AudioChannelLayoutTag = 154 << 16 | 5
/// L C R Ls Rs Cs
public let kAudioChannelLayoutTag_EAC_6_0_A: AudioChannelLayoutTag = 155 << 16 | 6
/// L C R Ls Rs Rls Rrs
public let kAudioChannelLayoutTag_EAC_7_0_A: AudioChannelLayoutTag = 156 << 16 | 7
/// L C R Ls Rs LFE Cs
public let kAudioChannelLayoutTag_EAC3_6_1_A: AudioChannelLayoutTag = 157 << 16 | 7
/// L C R Ls Rs LFE Ts
public let kAudioChannelLayoutTag_EAC3_6_1_B: AudioChannelLayoutTag = 158 << 16 | 7
/// L C R Ls Rs LFE Vhc
public let kAudioChannelLayoutTag_EAC3_6_1_C: AudioChannelLayoutTag = 159 << 16 | 7
/// L C R Ls Rs LFE Rls Rrs
public let kAudioChannelLayoutTag_EAC3_7_1_A: AudioChannelLayoutTag = 160 << 16 | 8
/// L C R Ls Rs LFE Lc Rc
public let kAudioChannelLayoutTag_EAC3_7_1_B: AudioChannelLayoutTag = 161 << 16 | 8
/// L C R Ls Rs LFE Lsd Rsd
public let kAudioChannelLayoutTag_EAC3_7_1_C: AudioChannelLayoutTag = 162 << 16 | 8
/// L C R Ls Rs LFE Lw Rw
public let kAudioChannelLayoutTag_EAC3_7_1_D: AudioChannelLayoutTag = 163 << 16 | 8
/// L C R Ls Rs LFE Vhl Vhr
public let kAudioChannelLayoutTag_EAC3_7_1_E: AudioChannelLayoutTag = 164 << 16 | 8
/// L C R Ls Rs LFE Cs Ts
public let kAudioChannelLayoutTag_EAC3_7_1_F: AudioChannelLayoutTag = 165 << 16 | 8
/// L C R Ls Rs LFE Cs Vhc
public let kAudioChannelLayoutTag_EAC3_7_1_G: AudioChannelLayoutTag = 166 << 16 | 8
/// L C R Ls Rs LFE Ts Vhc
public let kAudioChannelLayoutTag_EAC3_7_1_H: AudioChannelLayoutTag = 167 << 16 | 8
/// L R Rls Rrs
public let kAudioChannelLayoutTag_WAVE_4_0_B: AudioChannelLayoutTag = 185 << 16 | 4
/// L R C Rls Rrs
public let kAudioChannelLayoutTag_WAVE_5_0_B: AudioChannelLayoutTag = 186 << 16 | 5
/// L R C LFE Rls Rrs
public let kAudioChannelLayoutTag_WAVE_5_1_B: AudioChannelLayoutTag = 187 << 16 | 6
/// L R C LFE Cs Ls Rs
public let kAudioChannelLayoutTag_WAVE_6_1: AudioChannelLayoutTag = 188 << 16 | 7
/// L R C LFE Rls Rrs Ls Rs
public let kAudioChannelLayoutTag_WAVE_7_1: AudioChannelLayoutTag = 189 << 16 | 8
public let kAudioChannelLayoutTag_Atmos_5_1_2: AudioChannelLayoutTag = 194 << 16 | 8
public let kAudioChannelLayoutTag_Atmos_5_1_4: AudioChannelLayoutTag = 195 << 16 | 10
public let kAudioChannelLayoutTag_Atmos_7_1_2: AudioChannelLayoutTag = 196 << 16 | 10
public let kAudioChannelLayoutTag_Atmos_7_1_4: AudioChannelLayoutTag = 192 << 16 | 12
public let kAudioChannelLayoutTag_Atmos_9_1_6: AudioChannelLayoutTag = 193 << 16 | 16
public let kAudioChannelLayoutTag_DiscreteInOrder: AudioChannelLayoutTag = 147 << 16
public let kAudioChannelLayoutTag_HOA_ACN_SN3D: AudioChannelLayoutTag = 190 << 16
public let kAudioChannelLayoutTag_HOA_ACN_N3D: AudioChannelLayoutTag = 191 << 16
public let kAudioChannelLayoutTag_Unknown: AudioChannelLayoutTag = 0xFFFF << 16

/// Returns the number of channels of a layout with this tag; 0 if the tag does not specify the number.
public func AudioChannelLayoutTag_GetNumberOfChannels(_ tag: AudioChannelLayoutTag) -> UInt32 { tag & 0xFFFF }
