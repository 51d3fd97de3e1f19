import Accelerate
import Foundation
import Testing

/// Tests that compare the conversions with the equations of BT.601 and BT.709.
@Suite struct VImageYpCbCrTests {
    private let videoRange = vImage_YpCbCrPixelRange(
        Yp_bias: 16, CbCr_bias: 128, YpRangeMax: 235, CbCrRangeMax: 240, YpMax: 235, YpMin: 16, CbCrMax: 240,
        CbCrMin: 16)
    private let fullRange = vImage_YpCbCrPixelRange(
        Yp_bias: 0, CbCr_bias: 128, YpRangeMax: 255, CbCrRangeMax: 255, YpMax: 255, YpMin: 1, CbCrMax: 255, CbCrMin: 0)

    private func toRGB(
        _ matrix: UnsafePointer<vImage_YpCbCrToARGBMatrix>, _ range: vImage_YpCbCrPixelRange
    ) -> vImage_YpCbCrToARGB {
        var (range, info) = (range, vImage_YpCbCrToARGB())
        let error = vImageConvert_YpCbCrToARGB_GenerateConversion(
            matrix, &range, &info, kvImage420Yp8_CbCr8, kvImageARGB8888, noFlags)
        #expect(error == kvImageNoError)
        return info
    }

    private func fromRGB(
        _ matrix: UnsafePointer<vImage_ARGBToYpCbCrMatrix>, _ range: vImage_YpCbCrPixelRange
    ) -> vImage_ARGBToYpCbCr {
        var (range, info) = (range, vImage_ARGBToYpCbCr())
        let error = vImageConvert_ARGBToYpCbCr_GenerateConversion(
            matrix, &range, &info, kvImageARGB8888, kvImage420Yp8_CbCr8, noFlags)
        #expect(error == kvImageNoError)
        return info
    }

    private func lumaOf601(_ color: [Double]) -> Double {
        let (red, green, blue) = (0.299 * color[0], 0.587 * color[1], 0.114 * color[2])
        return red + green + blue
    }

    @Test func matrices_haveTheFactorsOfTheStandards() {
        let bt601 = kvImage_YpCbCrToARGBMatrix_ITU_R_601_4.pointee
        #expect(bt601.Yp == 1 && abs(bt601.Cr_R - 1.402) < 1e-6 && abs(bt601.Cb_B - 1.772) < 1e-6)
        #expect(abs(bt601.Cb_G + 0.344136) < 1e-6 && abs(bt601.Cr_G + 0.714136) < 1e-6)
        let bt709 = kvImage_YpCbCrToARGBMatrix_ITU_R_709_2.pointee
        #expect(abs(bt709.Cr_R - 1.5748) < 1e-6 && abs(bt709.Cb_B - 1.8556) < 1e-6)
        let from601 = kvImage_ARGBToYpCbCrMatrix_ITU_R_601_4.pointee
        #expect(abs(from601.R_Yp - 0.299) < 1e-6 && abs(from601.G_Cb + 0.331264) < 1e-6)
        let from709 = kvImage_ARGBToYpCbCrMatrix_ITU_R_709_2.pointee
        #expect(abs(from709.G_Yp - 0.7152) < 1e-6 && from709.B_Cb_R_Cr == 0.5)
        #expect(abs(from709.G_Cr + 0.454153) < 1e-6 && abs(from709.B_Cr + 0.045847) < 1e-6)
    }

    @Test func toRGB_videoRangeOf709_followsTheEquation() {
        var info = toRGB(kvImage_YpCbCrToARGBMatrix_ITU_R_709_2, videoRange)
        let luma = VImageMemory(16, 12, pixelBytes: 1, scatteredByte)
        let chroma = VImageMemory(8, 6, pixelBytes: 2, scatteredByte)
        let target = VImageMemory(16, 12, pixelBytes: 4)
        let error = vImageConvert_420Yp8_CbCr8ToARGB8888(
            &luma.buffer, &chroma.buffer, &target.buffer, &info, nil, 77, noFlags)
        #expect(error == kvImageNoError && target.isPaddingKept)
        for row in 0..<12 {
            for column in 0..<16 {
                let yp = (Double(luma.value(column, row)) - 16) / 219
                let cb = (Double(chroma.value(column / 2, row / 2, 0)) - 128) / 224
                let cr = (Double(chroma.value(column / 2, row / 2, 1)) - 128) / 224
                let green = yp - 0.1873243 * cb - 0.4681243 * cr
                let colors: [Double] = [yp + 1.5748 * cr, green, yp + 1.8556 * cb]
                #expect(target.value(column, row, 0) == 77)
                for (channel, color) in colors.enumerated() {
                    let expected = min(max(255 * color, 0), 255)
                    #expect(abs(Double(target.value(column, row, channel + 1)) - expected) < 0.51)
                }
            }
        }
    }

    @Test func toRGB_permuteMap_makesBGRAFromTwoAndThreePlanes() {
        var info = toRGB(kvImage_YpCbCrToARGBMatrix_ITU_R_601_4, fullRange)
        // An odd size: the last chroma samples belong to one column, and to one row.
        let luma = VImageMemory(5, 3, pixelBytes: 1, scatteredByte)
        let chroma = VImageMemory(3, 2, pixelBytes: 2, scatteredByte)
        let blue = VImageMemory(3, 2, pixelBytes: 1) { column, row, _ in chroma.value(column, row, 0) }
        let red = VImageMemory(3, 2, pixelBytes: 1) { column, row, _ in chroma.value(column, row, 1) }
        let (argb, bgra) = (VImageMemory(5, 3, pixelBytes: 4), VImageMemory(5, 3, pixelBytes: 4))
        vImageConvert_420Yp8_CbCr8ToARGB8888(
            &luma.buffer, &chroma.buffer, &argb.buffer, &info, [0, 1, 2, 3], 255, noFlags)
        let error = vImageConvert_420Yp8_Cb8_Cr8ToARGB8888(
            &luma.buffer, &blue.buffer, &red.buffer, &bgra.buffer, &info, [3, 2, 1, 0], 255, noFlags)
        #expect(error == kvImageNoError && bgra.isPaddingKept)
        #expect(bgra.pixels == argb.pixels.map { Array($0.reversed()) })
    }

    @Test func fromRGB_videoRangeOf601_followsTheEquation() {
        var info = fromRGB(kvImage_ARGBToYpCbCrMatrix_ITU_R_601_4, videoRange)
        let source = VImageMemory(6, 4, pixelBytes: 4, scatteredByte)
        let luma = VImageMemory(6, 4, pixelBytes: 1)
        let chroma = VImageMemory(3, 2, pixelBytes: 2)
        let error = vImageConvert_ARGB8888To420Yp8_CbCr8(
            &source.buffer, &luma.buffer, &chroma.buffer, &info, nil, noFlags)
        #expect(error == kvImageNoError && luma.isPaddingKept && chroma.isPaddingKept)
        let colors: [[Double]] = source.pixels.map { pixel in pixel[1...].map { Double($0) / 255 } }
        for (index, color) in colors.enumerated() {
            let expected = 16 + 219 * lumaOf601(color)
            #expect(abs(Double(luma.value(index % 6, index / 6)) - expected) < 0.51)
        }
        for row in 0..<2 {
            for column in 0..<3 {
                let first = 12 * row + 2 * column
                var mean: [Double] = [0, 0, 0]
                for place in [first, first + 1, first + 6, first + 7] {
                    for channel in 0..<3 { mean[channel] += colors[place][channel] / 4 }
                }
                let cb = 128 + 224 * (mean[2] - lumaOf601(mean)) / 1.772
                let cr = 128 + 224 * (mean[0] - lumaOf601(mean)) / 1.402
                #expect(abs(Double(chroma.value(column, row, 0)) - cb) < 0.51)
                #expect(abs(Double(chroma.value(column, row, 1)) - cr) < 0.51)
            }
        }
    }

    @Test func fromRGB_range_boundsTheResult() {
        var info = fromRGB(kvImage_ARGBToYpCbCrMatrix_ITU_R_709_2, fullRange)
        let black = VImageMemory(3, 3, pixelBytes: 4) { _, _, channel in channel == 3 ? 255 : 0 }
        let luma = VImageMemory(3, 3, pixelBytes: 1)
        let (blue, red) = (VImageMemory(2, 2, pixelBytes: 1), VImageMemory(2, 2, pixelBytes: 1))
        let error = vImageConvert_ARGB8888To420Yp8_Cb8_Cr8(
            &black.buffer, &luma.buffer, &blue.buffer, &red.buffer, &info, [3, 2, 1, 0], noFlags)
        #expect(error == kvImageNoError)
        // The least luma of this range is 1, and the pixel is BGRA: black, not blue.
        #expect(luma.pixels.allSatisfy { $0 == [1] })
        #expect(blue.pixels.allSatisfy { $0 == [128] } && red.pixels.allSatisfy { $0 == [128] })
    }

    @Test func conversion_thereAndBack_keepsSmoothColors() {
        var (there, back) = (
            fromRGB(kvImage_ARGBToYpCbCrMatrix_ITU_R_709_2, fullRange),
            toRGB(kvImage_YpCbCrToARGBMatrix_ITU_R_709_2, fullRange)
        )
        for color in [[255, 255, 255, 255], [255, 10, 20, 30], [255, 200, 100, 0], [255, 128, 128, 128]] as [[UInt8]] {
            let source = VImageMemory(2, 2, pixelBytes: 4) { _, _, channel in color[channel] }
            let (luma, chroma) = (VImageMemory(2, 2, pixelBytes: 1), VImageMemory(1, 1, pixelBytes: 2))
            let target = VImageMemory(2, 2, pixelBytes: 4)
            vImageConvert_ARGB8888To420Yp8_CbCr8(&source.buffer, &luma.buffer, &chroma.buffer, &there, nil, noFlags)
            vImageConvert_420Yp8_CbCr8ToARGB8888(
                &luma.buffer, &chroma.buffer, &target.buffer, &back, nil, 255, noFlags)
            #expect(zip(target.pixel(1, 1), color).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
        }
    }

    @Test func conversion_notPossible_isRefused() {
        var (range, info) = (videoRange, vImage_YpCbCrToARGB())
        let (luma, chroma) = (VImageMemory(4, 4, pixelBytes: 1), VImageMemory(2, 2, pixelBytes: 2))
        let target = VImageMemory(4, 4, pixelBytes: 4)
        let notGenerated = vImageConvert_420Yp8_CbCr8ToARGB8888(
            &luma.buffer, &chroma.buffer, &target.buffer, &info, nil, 255, noFlags)
        #expect(notGenerated == kvImageInvalidParameter)
        let unknownLayout = vImageConvert_YpCbCrToARGB_GenerateConversion(
            kvImage_YpCbCrToARGBMatrix_ITU_R_709_2, &range, &info, vImageYpCbCrType(rawValue: 9), kvImageARGB8888,
            noFlags)
        #expect(unknownLayout == kvImageUnsupportedConversion)
        let sixteenBits = vImageConvert_YpCbCrToARGB_GenerateConversion(
            kvImage_YpCbCrToARGBMatrix_ITU_R_709_2, &range, &info, kvImage420Yp8_Cb8_Cr8, vImageARGBType(1), noFlags)
        #expect(sixteenBits == kvImageUnsupportedConversion)
        range.YpRangeMax = range.Yp_bias
        let emptyRange = vImageConvert_YpCbCrToARGB_GenerateConversion(
            kvImage_YpCbCrToARGBMatrix_ITU_R_709_2, &range, &info, kvImage420Yp8_CbCr8, kvImageARGB8888, noFlags)
        #expect(emptyRange == kvImageInvalidParameter)
    }

    @Test func chromaPlane_tooSmall_isRefused() {
        var info = toRGB(kvImage_YpCbCrToARGBMatrix_ITU_R_709_2, videoRange)
        let (luma, chroma) = (VImageMemory(5, 4, pixelBytes: 1), VImageMemory(2, 2, pixelBytes: 2))
        let target = VImageMemory(5, 4, pixelBytes: 4)
        let error = vImageConvert_420Yp8_CbCr8ToARGB8888(
            &luma.buffer, &chroma.buffer, &target.buffer, &info, nil, 255, noFlags)
        #expect(error == kvImageRoiLargerThanInputBuffer)
    }
}
